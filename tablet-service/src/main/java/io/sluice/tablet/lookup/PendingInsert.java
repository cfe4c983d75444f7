package io.sluice.tablet.lookup;

import io.sluice.protocol.lookup.LookupQuestion;
import io.sluice.tablet.replica.HostedTable;

/**
 * A question that waits for rows that are being made.
 *
 * @param question what was asked
 * @param table as it was when it was asked
 * @param read what goes on when they are made
 */
record PendingInsert(LookupQuestion question, HostedTable table, InsertingRead read) {}
