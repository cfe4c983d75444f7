/**
 * The state of a bucket of a primary-key table: rows by key in RocksDB, the changes that are not
 * committed yet, and the evaluation of puts into changelog records. Knows nothing of logs,
 * replicas, the network or Spring.
 */
@NullMarked
package io.sluice.tablet.kv;

import org.jspecify.annotations.NullMarked;
