package io.sluice.tiering.job;

/**
 * Where a round is.
 *
 * @param tableId the table
 * @param table its name
 * @param epoch its epoch
 * @param roundId the round
 * @param phase waiting, planning, reading, writing or committing
 * @param rows rows read
 * @param bytes bytes of its files so far
 * @param ageMs since it was assigned
 */
public record RoundStatus(
    long tableId,
    String table,
    long epoch,
    String roundId,
    String phase,
    long rows,
    long bytes,
    long ageMs) {}
