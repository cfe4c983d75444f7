/**
 * Benchmarks that run other products beside Sluice: their servers, one client process for each,
 * interleaved windows, ratios and whether they reach their goals.
 */
@NullMarked
package io.sluice.cli.bench.compare;

import org.jspecify.annotations.NullMarked;
