/** Benchmarks on a cluster of their own: workloads, repetitions, reports. */
@NullMarked
package io.sluice.cli.bench;

import org.jspecify.annotations.NullMarked;
