package io.sluice.tiering.commit;

import io.sluice.tiering.write.WrittenFile;
import java.util.List;
import java.util.Map;

/**
 * A round to commit.
 *
 * @param key the round
 * @param fence from its preparation
 * @param start recorded offset by bucket, of the buckets it read
 * @param end offset after the last row read, of the same buckets
 * @param files holds exactly the rows [start, end)
 */
public record RoundCommit(
    RoundKey key,
    long fence,
    Map<Integer, Long> start,
    Map<Integer, Long> end,
    List<WrittenFile> files) {
  public RoundCommit {
    start = Map.copyOf(start);
    end = Map.copyOf(end);
    files = List.copyOf(files);
  }

  /** Rows of all files. */
  public long rows() {
    long rows = 0;
    for (WrittenFile file : files) {
      rows += file.rows();
    }
    return rows;
  }

  /** Bytes of all files. */
  public long bytes() {
    long bytes = 0;
    for (WrittenFile file : files) {
      bytes += file.bytes();
    }
    return bytes;
  }
}
