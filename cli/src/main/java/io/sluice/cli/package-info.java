/**
 * The command line: the entry point, the list of commands and what they share. Commands themselves
 * live in the packages below; nothing below may use this package but for {@link
 * io.sluice.cli.Command} and its {@link io.sluice.cli.CommandContext}.
 */
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;
