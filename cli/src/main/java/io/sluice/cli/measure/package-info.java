/**
 * Figures: percentiles, medians with spread, CPU time of processes, facts about the machine, and
 * JSON to store them in.
 */
@NullMarked
package io.sluice.cli.measure;

import org.jspecify.annotations.NullMarked;
