/**
 * Text for people: colours, aligned tables, progress and number formats. Knows whether it writes to
 * a terminal; knows nothing about clusters.
 */
@NullMarked
package io.sluice.cli.terminal;

import org.jspecify.annotations.NullMarked;
