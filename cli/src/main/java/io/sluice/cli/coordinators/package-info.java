/** The command that shows the coordinators and replaces one. */
@NullMarked
package io.sluice.cli.coordinators;

import org.jspecify.annotations.NullMarked;
