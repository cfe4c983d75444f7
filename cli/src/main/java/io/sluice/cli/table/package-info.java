/** Commands that create, change and show tables, their partitions, offsets and rows. */
@NullMarked
package io.sluice.cli.table;

import org.jspecify.annotations.NullMarked;
