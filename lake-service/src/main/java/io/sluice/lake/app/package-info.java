/**
 * The lake service as a Spring Boot application in its two roles: settings, wiring, start and stop
 * order, readiness and metrics. No logic of its own.
 */
@NullMarked
package io.sluice.lake.app;

import org.jspecify.annotations.NullMarked;
