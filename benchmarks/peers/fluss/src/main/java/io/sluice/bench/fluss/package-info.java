/**
 * Apache Fluss as the benchmarks see it, through its own Java client: log tables and keyed ones.
 */
@NullMarked
package io.sluice.bench.fluss;

import org.jspecify.annotations.NullMarked;
