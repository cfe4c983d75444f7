/** The coordinator as a Spring Boot application: settings, wiring, health, metrics. */
@NullMarked
package io.sluice.coordinator.app;

import org.jspecify.annotations.NullMarked;
