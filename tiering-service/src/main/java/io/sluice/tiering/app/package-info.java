/**
 * The tiering worker as a Spring Boot application: settings, wiring, start and stop order,
 * readiness and metrics. No logic of its own.
 */
@NullMarked
package io.sluice.tiering.app;

import org.jspecify.annotations.NullMarked;
