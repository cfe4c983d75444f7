package io.sluice.systemtests.faults;

import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A segment of a bucket on a tablet's disk, looked at while the tablet is dead. */
public record StoredSegment(Path file) {
  private static final int HEADER_BYTES = 64;

  /**
   * A batch that is whole.
   *
   * @param end the byte behind it
   */
  public record Batch(long position, long end, long nextOffset, int rows) {}

  /** The segments of bucket 0 of a table without partitions, in order. */
  static List<StoredSegment> of(Path tabletData, long tableId) throws IOException {
    return of(tabletData, TableBucket.of(tableId, 0));
  }

  /** The segments of a bucket, in order. */
  public static List<StoredSegment> of(Path tabletData, TableBucket bucket) throws IOException {
    Path replica =
        tabletData
            .resolve(Long.toString(bucket.tableId()))
            .resolve(bucket.partitionId() + "-" + bucket.bucket());
    try (Stream<Path> files = Files.list(replica)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .sorted()
          .map(StoredSegment::new)
          .toList();
    }
  }

  /** The file of its index. */
  public Path index() {
    return Path.of(file.toString().replaceAll("log$", "index"));
  }

  /** The batches that are whole in the first {@code size} bytes, in order. */
  public List<Batch> batches(long size) throws IOException {
    List<Batch> batches = new ArrayList<>();
    byte[] bytes = Files.readAllBytes(file);
    int position = HEADER_BYTES;
    while (position + LogBatchHeader.SIZE <= size) {
      LogBatchHeader header =
          LogBatchHeader.wrap(ByteBuffer.wrap(bytes, position, LogBatchHeader.SIZE));
      int end = position + header.length();
      if (end > size) {
        break;
      }
      batches.add(new Batch(position, end, header.nextOffset(), header.recordCount()));
      position = end;
    }
    return batches;
  }

  public long size() throws IOException {
    return Files.size(file);
  }

  public void truncate(long size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(size);
    }
  }

  public void append(byte[] bytes) throws IOException {
    Files.write(file, bytes, StandardOpenOption.APPEND);
  }

  /** Changes one bit of a byte. */
  public void flip(long position) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, position);
      one.put(0, (byte) (one.get(0) ^ 0x10));
      channel.write(one.flip(), position);
    }
  }
}
