/**
 * SQL text before any parser sees it: tokens, the same statement in the dialects of the two parsers
 * (Flink's for definitions, DuckDB's for queries), and failures that say line and column. Knows
 * nothing of tables.
 */
@NullMarked
package io.sluice.lake.dialect;

import org.jspecify.annotations.NullMarked;
