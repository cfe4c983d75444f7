/**
 * The replication of one bucket as a deterministic simulation: virtual clock, virtual network, logs
 * that are lists, and the very rules of the tablet and the coordinator. A seed is a whole run.
 */
@NullMarked
package io.sluice.systemtests.simulation;

import org.jspecify.annotations.NullMarked;
