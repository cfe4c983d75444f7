/**
 * The messages of replication by hand where they carry batches: written without a copy of what was
 * read from the log, and received into one buffer for each bucket. Knows bytes, never logs.
 */
@NullMarked
package io.sluice.protocol.replication;

import org.jspecify.annotations.NullMarked;
