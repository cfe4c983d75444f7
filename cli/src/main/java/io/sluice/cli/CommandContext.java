package io.sluice.cli;

import io.sluice.cli.terminal.Terminal;
import io.sluice.common.TimeSource;

/**
 * What every command works with.
 *
 * @param terminal where it writes
 * @param settings where it runs
 * @param time the clock
 */
public record CommandContext(Terminal terminal, Settings settings, TimeSource time) {}
