/**
 * The SQL gateway: takes a statement, decides what it is, checks and runs it. Definitions and the
 * heads of insertions are parsed by Flink's own parser, queries by DuckDB's. Knows no HTTP.
 */
@NullMarked
package io.sluice.lake.sql;

import org.jspecify.annotations.NullMarked;
