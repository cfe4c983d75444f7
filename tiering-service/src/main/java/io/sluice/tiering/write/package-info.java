/**
 * Parquet files of a round: column by column from Arrow vectors, with the field ids and the order
 * of the lake table's schema, durable before they are named to anybody. Knows neither where rows
 * come from nor how files are committed.
 */
@NullMarked
package io.sluice.tiering.write;

import org.jspecify.annotations.NullMarked;
