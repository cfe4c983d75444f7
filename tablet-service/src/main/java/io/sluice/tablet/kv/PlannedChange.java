package io.sluice.tablet.kv;

import org.jspecify.annotations.Nullable;

/**
 * What a record of a {@link ChangelogPlan} will do to a row.
 *
 * @param record index of the record
 * @param value the new encoded value with time 0, null when the row goes
 * @param rowDelta 1 for a new row, -1 for a row that goes, else 0
 */
record PlannedChange(int record, RowKey key, byte @Nullable [] value, int rowDelta) {}
