package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recovery's check against batches as the format library encodes them. */
final class EncodedBatchCheckTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "a", new DataType.IntegerType(64), true),
              Column.of(2, "b", new DataType.StringType(), true)),
          List.of());

  @TempDir private Path temp;

  @Test
  void everyFlippedByteOfAnEncodedBatchIsFound() throws IOException {
    for (BatchCodec codec : BatchCodec.values()) {
      Path directory = temp.resolve(codec.name());
      Path file;
      try (TestLog test = TestLog.open(directory, 0)) {
        appendEncoded(test, codec, 40);
        appendEncoded(test, codec, 40);
        file = test.segment(0);
      }
      byte[] whole = Files.readAllBytes(file);
      try (TestLog test = TestLog.open(directory, 0)) {
        assertThat(test.log.endOffset()).as("%s, undamaged", codec).isEqualTo(80);
      }
      int second = SegmentHeader.SIZE + (whole.length - SegmentHeader.SIZE) / 2;
      for (int at = second; at < whole.length; at++) {
        Files.write(file, whole);
        LogRecoveryTest.flip(file, at);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
          BatchWalk walk = new BatchWalk(channel, second, channel.size(), 40, 0);
          LogBatchHeader header = walk.next();
          boolean found =
              header == null || new StoredBatchCheck(channel).check(header, second) != null;
          assertThat(found).as("%s, byte %d", codec, at).isTrue();
        }
      }
    }
  }

  private static void appendEncoded(TestLog test, BatchCodec codec, int rows) {
    try (BufferAllocator allocator = new RootAllocator();
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.of(codec));
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
      root.allocateNew();
      BigIntVector numbers = (BigIntVector) root.getVector(0);
      VarCharVector texts = (VarCharVector) root.getVector(1);
      for (int i = 0; i < rows; i++) {
        numbers.setSafe(i, i);
        if (i % 3 != 0) {
          texts.setSafe(i, ("text " + i).getBytes(StandardCharsets.UTF_8));
        }
      }
      root.setRowCount(rows);
      try (EncodedBatch batch = encoder.encode(root, SCHEMA, BatchWriter.NONE)) {
        test.log.startEpoch(1);
        test.log.append(batch.header(), batch.sections(), 1);
      }
    }
  }
}
