/** Partitions of a table: canonical texts of their values, their names, time units. */
@NullMarked
package io.sluice.format.partition;

import org.jspecify.annotations.NullMarked;
