/**
 * Apache Kafka as the benchmarks see it: one record for each row, without a key, whose value has
 * the columns in order.
 */
@NullMarked
package io.sluice.bench.kafka;

import org.jspecify.annotations.NullMarked;
