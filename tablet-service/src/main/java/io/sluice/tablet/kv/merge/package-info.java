/**
 * What a put makes of a row: the merge engines of primary-key tables and the functions of
 * aggregation tables. Rows in, rows out: nothing here reads the store, writes the changelog or
 * knows about deletes, ids and time.
 */
@NullMarked
package io.sluice.tablet.kv.merge;

import org.jspecify.annotations.NullMarked;
