package io.sluice.lake.commit;

import org.jspecify.annotations.Nullable;

/**
 * What is measured of one lake table.
 *
 * @param tableId its Sluice table
 * @param database database
 * @param table table
 * @param recordLagMs age of the oldest row that is not in the lake, 0 when all are, null when a
 *     tablet did not say
 * @param files data files of the current snapshot
 * @param snapshots snapshots that are kept
 * @param fileBytes bytes of those data files
 * @param records rows of the current snapshot
 * @param orphanFiles old files that no snapshot names
 */
public record TableMeasures(
    long tableId,
    String database,
    String table,
    @Nullable Long recordLagMs,
    long files,
    long snapshots,
    long fileBytes,
    long records,
    long orphanFiles) {}
