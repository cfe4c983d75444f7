/**
 * The Iceberg catalog of this process: an embedded database that says which metadata file is a
 * table's current one, and a local warehouse whose files are durable before they are named. Knows
 * Iceberg tables in general; what a round is lives in {@code commit}.
 */
@NullMarked
package io.sluice.lake.catalog;

import org.jspecify.annotations.NullMarked;
