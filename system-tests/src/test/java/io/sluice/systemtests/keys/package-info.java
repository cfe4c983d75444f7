/**
 * Primary-key tables in full, on the shared cluster: merge engines, ids, lookups, changelogs, by
 * the Java client, SQL and a stock pyarrow.
 */
@NullMarked
package io.sluice.systemtests.keys;

import org.jspecify.annotations.NullMarked;
