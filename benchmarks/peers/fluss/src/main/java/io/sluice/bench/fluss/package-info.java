/** Apache Fluss as the benchmarks see it: log tables, written and read by its own row API. */
@NullMarked
package io.sluice.bench.fluss;

import org.jspecify.annotations.NullMarked;
