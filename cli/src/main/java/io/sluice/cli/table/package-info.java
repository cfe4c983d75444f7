/** Commands that show tables, their offsets and their rows. */
@NullMarked
package io.sluice.cli.table;

import org.jspecify.annotations.NullMarked;
