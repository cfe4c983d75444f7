package io.sluice.systemtests.clients;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.client.WriterOptions;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.schema.ArrowSchemas;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A log table of one bucket whose columns compress in every way: numbers, 64 random bytes a row,
 * which cannot shrink, and one letter many times, which shrinks to almost nothing. It knows what a
 * reader must get from it.
 */
final class CompressibleTable {
  static final String DATABASE = "codecs";

  static final List<CompressionSettings> SETTINGS =
      List.of(
          CompressionSettings.of(BatchCodec.NONE),
          CompressionSettings.of(BatchCodec.LZ4),
          new CompressionSettings(BatchCodec.ZSTD, 1),
          new CompressionSettings(BatchCodec.ZSTD, 3),
          new CompressionSettings(BatchCodec.ZSTD, 9));

  /**
   * Rows of each batch. With 64 bytes a row, 1023 and 1025 lie around a buffer of 64 KiB; with 1 to
   * 2000 letters a row, about 1000 lie around one of 1 MiB, and 10,000 give more than a batch may
   * hold.
   */
  static final List<Integer> MANY_BATCHES =
      List.of(1, 7, 1000, 1023, 1024, 1025, 1048, 1, 7, 10_000, 1040, 1056, 7, 1, 1024);

  /** The same edges with fewer rows, for readers that are slow. */
  static final List<Integer> FEW_BATCHES = List.of(1, 7, 1000, 1, 1024, 1048);

  private static final int RANDOM_BYTES = 64;
  private static final int MOST_LETTERS = 2000;
  private static final int WRITER_BATCH_BYTES = 3 * 1024 * 1024;

  private final String name;
  private final CompressionSettings settings;
  private final SplittableRandom random = new SplittableRandom(2);
  private final CRC32 digest = new CRC32();
  private long rows;

  private CompressibleTable(String name, CompressionSettings settings) {
    this.name = name;
    this.settings = settings;
  }

  static CompressibleTable create(
      Connection connection, String prefix, CompressionSettings settings) {
    String codec = settings.codec().name().toLowerCase(Locale.ROOT);
    CompressibleTable table =
        new CompressibleTable(prefix + "_" + codec + "_" + settings.level(), settings);
    connection.admin().createDatabase(DATABASE, true);
    connection
        .admin()
        .createTable(
            TableSpec.of(table.path())
                .column("id", "BIGINT")
                .column("rnd", "BYTES")
                .column("txt", "STRING")
                .buckets(1)
                .build());
    return table;
  }

  String name() {
    return name;
  }

  String path() {
    return DATABASE + "." + name;
  }

  long rows() {
    return rows;
  }

  /** CRC-32 of all values in order: integers as 8 bytes little-endian, texts as UTF-8. */
  long digest() {
    return digest.getValue();
  }

  /** Appends one Arrow batch for each number of rows. */
  void write(Connection connection, List<Integer> batches) {
    Schema schema = ArrowSchemas.toArrow(connection.table(path()).description().schema());
    WriterOptions options =
        WriterOptions.defaults().compression(settings).batchBytes(WRITER_BATCH_BYTES);
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
        AppendWriter writer = connection.table(path()).appendWriter(options)) {
      for (int count : batches) {
        fill(root, count);
        writer.append(root);
      }
      writer.flush();
    }
  }

  private void fill(VectorSchemaRoot root, int count) {
    root.clear();
    byte[] bytes = new byte[RANDOM_BYTES];
    for (int row = 0; row < count; row++) {
      random.nextBytes(bytes);
      byte[] letters = new byte[random.nextInt(1, MOST_LETTERS + 1)];
      Arrays.fill(letters, (byte) ('a' + rows % 26));
      ((BigIntVector) root.getVector("id")).setSafe(row, rows);
      ((VarBinaryVector) root.getVector("rnd")).setSafe(row, bytes);
      ((VarCharVector) root.getVector("txt")).setSafe(row, letters);
      addRow(digest, rows, bytes, letters);
      rows++;
    }
    root.setRowCount(count);
  }

  /** Adds a row to a digest that is to equal {@link #digest()}. */
  static void addRow(CRC32 digest, long id, byte[] bytes, byte[] letters) {
    digest.update(
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(0, id).array());
    digest.update(bytes);
    digest.update(letters);
  }
}
