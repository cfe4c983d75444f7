/**
 * Where rows come from: the log of a table, read over Flight. Knows nothing of rounds, files and
 * the lake.
 */
@NullMarked
package io.sluice.tiering.read;

import org.jspecify.annotations.NullMarked;
