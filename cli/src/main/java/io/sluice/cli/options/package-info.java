/**
 * Parsing of command lines: what options a command has, what was given, and help text made from the
 * same description. No command logic.
 */
@NullMarked
package io.sluice.cli.options;

import org.jspecify.annotations.NullMarked;
