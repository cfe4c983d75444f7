/**
 * Sluice as the benchmarks' client process sees it, by its Java client with the client's defaults.
 */
@NullMarked
package io.sluice.cli.bench.sluice;

import org.jspecify.annotations.NullMarked;
