package io.sluice.tiering.job;

import io.sluice.common.TablePath;

/**
 * A table to tier once.
 *
 * @param tableId the table
 * @param epoch its epoch in the queue; fences everything older
 * @param path its name
 * @param freshnessMs how old the lake may become; bounds how long a round reads
 */
public record RoundAssignment(long tableId, long epoch, TablePath path, long freshnessMs) {}
