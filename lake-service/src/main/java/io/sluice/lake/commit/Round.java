package io.sluice.lake.commit;

import java.util.List;
import org.apache.iceberg.DataFile;

/**
 * A round that was checked and is to be committed.
 *
 * @param tableId the table
 * @param epoch the epoch its worker holds
 * @param fence the fence it was prepared with
 * @param roundId its id
 * @param start what was recorded when it began, all buckets
 * @param end where it ends, all buckets
 * @param files its files
 */
record Round(
    long tableId,
    long epoch,
    long fence,
    String roundId,
    LakeOffsets start,
    LakeOffsets end,
    List<DataFile> files) {
  Round {
    files = List.copyOf(files);
  }
}
