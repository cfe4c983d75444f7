/**
 * What the cluster is: databases, tables, buckets, servers and writers as one immutable image, the
 * commands that change it and the pure function that applies them. No clock, no I/O, no threads, no
 * Raft, no Spring.
 */
@NullMarked
package io.sluice.coordinator.metadata;

import org.jspecify.annotations.NullMarked;
