/**
 * Micro benchmarks of what is done for every batch and every row: by the format library alone, and
 * by a tablet for upserts, without a network.
 */
@NullMarked
package io.sluice.bench.micro;

import org.jspecify.annotations.NullMarked;
