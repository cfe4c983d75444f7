/**
 * The tablet as a Spring Boot application: settings, wiring, start and stop order, readiness and
 * metrics. No logic of its own.
 */
@NullMarked
package io.sluice.tablet.app;

import org.jspecify.annotations.NullMarked;
