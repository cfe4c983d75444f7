package io.sluice.systemtests.replicated;

import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.systemtests.faults.StoredSegment;
import io.sluice.systemtests.replicated.Reading.Copy;
import io.sluice.systemtests.replicated.Reading.StoredBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Reads what a server has of a bucket from its segment files. */
final class ReplicaFiles {
  private static final int FILE_HEADER_BYTES = 64;

  private ReplicaFiles() {}

  /** The whole batches, in order. What a running server adds meanwhile may be there or not. */
  static Copy read(int server, Path tabletData, TableBucket bucket) throws IOException {
    List<StoredBatch> batches = new ArrayList<>();
    for (StoredSegment segment : StoredSegment.of(tabletData, bucket)) {
      // Copied, not mapped: a running server may cut it meanwhile.
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment.file()));
      int position = FILE_HEADER_BYTES;
      while (position + LogBatchHeader.SIZE <= bytes.limit()) {
        LogBatchHeader header = LogBatchHeader.wrap(bytes.slice(position, LogBatchHeader.SIZE));
        int length = header.length();
        if (length < LogBatchHeader.SIZE || position + length > bytes.limit()) {
          break;
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(position, length));
        batches.add(new StoredBatch(header.baseOffset(), header.nextOffset(), crc.getValue()));
        position += length;
      }
    }
    return new Copy(server, batches);
  }
}
