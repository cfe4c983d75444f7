package io.sluice.systemtests.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.AppendResult;
import io.sluice.client.AppendWriter;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.row.Row;
import io.sluice.systemtests.local.LocalCluster;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/**
 * Values of megabytes: batches are cut by their bytes, whatever the writer asked for; a row above
 * the limit is refused by itself; the servers' memory returns to where it was.
 */
final class LargeValuesIT {
  private static final String DATABASE = "large";
  private static final int MEBIBYTE = 1024 * 1024;
  private static final int ROWS = 600;
  private static final int TEXTS = 10;
  private static final int LETTERS = 4 * MEBIBYTE;
  private static final long[] CRCS =
      IntStream.range(0, TEXTS)
          .mapToLong(id -> crc(ByteBuffer.wrap(letter(id).repeat(LETTERS).getBytes(UTF_8))))
          .toArray();
  private static final String ROW_LIMIT = Integer.toString(32 * MEBIBYTE);
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Schema UPLOAD =
      new Schema(
          List.of(
              Field.nullable("id", new ArrowType.Int(32, true)),
              Field.nullable("s", ArrowType.Utf8.INSTANCE)));

  private final LocalCluster cluster = LocalCluster.shared();

  /** Together they pass the 2 GiB that the offsets of a text column can address. */
  @Test
  void sixHundredTextsOfFourMebibytesComeBack() {
    long before = cluster.tabletMemory();
    try (Connection connection = cluster.connect();
        BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(UPLOAD, allocator)) {
      String path = createTable(connection, "texts");
      WriterOptions options = WriterOptions.defaults().batchBytes(3 * MEBIBYTE);
      try (AppendWriter writer = connection.table(path).appendWriter(options)) {
        fill(root, 0, TEXTS, LETTERS);
        for (int i = TEXTS; i < ROWS; i += TEXTS) {
          writer.append(root);
        }
        for (int i = 0; i < TEXTS; i++) {
          writer.append(Row.of(i, letter(i).repeat(LETTERS)));
        }
      }
      int[] found = new int[TEXTS];
      Scans.read(connection.table(path).scan(), batch -> countTexts(batch.vectors(), found));
      assertThat(found).containsOnly(ROWS / TEXTS);
    }
    awaitTabletMemory(before);
  }

  /** Counts the rows by id; each must have the text of its id. */
  private static void countTexts(VectorSchemaRoot root, int[] found) {
    VarCharVector texts = (VarCharVector) root.getVector("s");
    for (int row = 0; row < root.getRowCount(); row++) {
      int id = ((IntVector) root.getVector("id")).get(row);
      ByteBuffer text =
          texts.getDataBuffer().nioBuffer(texts.getStartOffset(row), texts.getValueLength(row));
      assertThat(crc(text)).as("text of row %s", id).isEqualTo(CRCS[id]);
      found[id]++;
    }
  }

  private static long crc(ByteBuffer bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return crc.getValue();
  }

  private static String letter(int id) {
    return String.valueOf((char) ('a' + id));
  }

  /** Each is larger than what makes a message of the current rows full. */
  @Test
  void currentRowsOfFourMebibytesComeBack() {
    long before = cluster.tabletMemory();
    try (Connection connection = cluster.connect()) {
      String path = DATABASE + ".current";
      connection.admin().createDatabase(DATABASE, true);
      connection
          .admin()
          .createTable(
              TableSpec.of(path)
                  .requiredColumn("id", "INT")
                  .column("s", "STRING")
                  .primaryKey("id")
                  .buckets(1)
                  .build());
      try (UpsertWriter writer = connection.table(path).upsertWriter()) {
        for (int id = 0; id < TEXTS; id++) {
          writer.upsert(Row.of(id, letter(id).repeat(LETTERS)));
        }
      }
      int[] found = new int[TEXTS];
      Scans.read(
          connection.table(path).scan().current(), batch -> countTexts(batch.vectors(), found));
      assertThat(found).containsOnly(1);
    }
    awaitTabletMemory(before);
  }

  @Test
  void aBatchSizeAboveTheLimitIsRefusedWithTheLimit() {
    assertThatThrownBy(() -> ClientConfig.of(cluster.coordinators()).withBatchBytes(1 << 30))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining(Integer.toString(1 << 30))
        .hasMessageContaining(Integer.toString(3 * MEBIBYTE));
  }

  @Test
  void aRowAboveTheLimitFailsAloneBetweenTwoThatAreStored() {
    long before = cluster.tabletMemory();
    for (BatchCodec codec : List.of(BatchCodec.NONE, BatchCodec.ZSTD)) {
      try (Connection connection = cluster.connect()) {
        String path = createTable(connection, "above_" + codec.ordinal());
        try (AppendWriter writer =
            connection.table(path).appendWriter(WriterOptions.defaults().codec(codec))) {
          CompletableFuture<AppendResult> first = writer.append(Row.of(1, "small"));
          CompletableFuture<AppendResult> large =
              writer.append(Row.of(2, "x".repeat(40 * MEBIBYTE)));
          CompletableFuture<AppendResult> last = writer.append(Row.of(3, "small"));
          assertThatThrownBy(writer::flush).hasMessageContaining(ROW_LIMIT);
          assertThatThrownBy(large::join)
              .hasRootCauseInstanceOf(SluiceException.class)
              .hasMessageContaining(path)
              .hasMessageContaining(ROW_LIMIT);
          assertThat(first.join().offset()).isZero();
          assertThat(last.join().offset()).isEqualTo(1);
        }
        assertThat(ids(connection, path)).containsExactly(1, 3);
      }
    }
    awaitTabletMemory(before);
  }

  @Test
  void anUploadOfPlainArrowIsCutByBytesAndRefusedAboveTheLimits() throws Exception {
    long before = cluster.tabletMemory();
    try (Connection connection = cluster.connect();
        BufferAllocator allocator = new RootAllocator();
        FlightClient client = Scans.stockClient(allocator, cluster.flightPort(1))) {
      String path = createTable(connection, "uploads");
      upload(allocator, client, "uploads", 0, 8, LETTERS);
      upload(allocator, client, "uploads", 8, 1, 31 * MEBIBYTE);

      assertThatThrownBy(() -> upload(allocator, client, "uploads", 20, 1, 33 * MEBIBYTE))
          .isInstanceOf(FlightRuntimeException.class)
          .hasMessageContaining(ROW_LIMIT);
      assertThatThrownBy(() -> upload(allocator, client, "uploads", 30, 1, 40 * MEBIBYTE))
          .isInstanceOf(FlightRuntimeException.class)
          .hasMessageContaining(ROW_LIMIT);
      // Not even read: its message is above the largest that the server takes in.
      assertThatThrownBy(() -> upload(allocator, client, "uploads", 40, 1, 70 * MEBIBYTE))
          .isInstanceOf(FlightRuntimeException.class)
          .hasMessageContaining(Integer.toString(64 * MEBIBYTE));

      upload(allocator, client, "uploads", 9, 1, 10);
      assertThat(ids(connection, path)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }
    awaitTabletMemory(before);
  }

  private static String createTable(Connection connection, String name) {
    String path = DATABASE + "." + name;
    connection.admin().createDatabase(DATABASE, true);
    connection
        .admin()
        .createTable(
            TableSpec.of(path).column("id", "INT").column("s", "STRING").buckets(1).build());
    return path;
  }

  private static List<Integer> ids(Connection connection, String path) {
    List<Integer> ids = new ArrayList<>();
    Scans.read(
        connection.table(path).scan().columns("id"),
        batch -> batch.rows().forEach(row -> ids.add(row.getInt(0))));
    return ids;
  }

  /** One message of consecutive ids, each with a text of so many letters. */
  private static void upload(
      BufferAllocator allocator,
      FlightClient client,
      String table,
      int first,
      int rows,
      int letters) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(UPLOAD, allocator)) {
      fill(root, first, rows, letters);
      FlightClient.ClientStreamListener writer =
          client.startPut(FlightDescriptor.path(DATABASE, table), root, new AsyncPutListener());
      writer.putNext();
      writer.completed();
      writer.getResult();
    }
  }

  private static void fill(VectorSchemaRoot root, int first, int rows, int letters) {
    byte[] text = new byte[letters];
    for (int row = 0; row < rows; row++) {
      Arrays.fill(text, (byte) ('a' + row));
      ((IntVector) root.getVector("id")).setSafe(row, first + row);
      ((VarCharVector) root.getVector("s")).setSafe(row, text);
    }
    root.setRowCount(rows);
  }

  /** Other tests run before or after this one, never at the same time. */
  private void awaitTabletMemory(long atMost) {
    Await.until(
        "the tablets use no more Arrow memory than before",
        SOON,
        () -> cluster.tabletMemory() <= atMost);
  }
}
