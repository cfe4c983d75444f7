/**
 * Decisions: whether a table may be created, where its buckets go, what a request becomes as a
 * command. Rules are pure; {@link io.sluice.coordinator.control.Catalog} is the one place that
 * submits.
 */
@NullMarked
package io.sluice.coordinator.control;

import org.jspecify.annotations.NullMarked;
