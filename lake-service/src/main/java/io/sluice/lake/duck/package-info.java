/**
 * DuckDB as the engine of one query: a locked-down instance, what the parsed text of a query refers
 * to and what it may not, the views of its tables, and its results as plain values. Nothing else
 * talks to DuckDB. Knows nothing of statements other than queries.
 */
@NullMarked
package io.sluice.lake.duck;

import org.jspecify.annotations.NullMarked;
