package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.ListOffsetsRequest;
import io.sluice.protocol.flight.v1.ListOffsetsResponse;
import io.sluice.protocol.flight.v1.Lookup;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.PutAnswer;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.protocol.flight.v1.StockPut;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.tablet.replica.Replica;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitioned tables as stock clients and native puts see them, on two tablets. */
final class PartitionedTableTest {
  private static final TablePath LOG = new TablePath("demo", "visits");
  private static final TablePath KEYED = new TablePath("demo", "users");

  @TempDir private Path first;
  @TempDir private Path second;

  private KeyedHarness harness;
  private KeyedHarness other;
  private FlightClient client;

  @BeforeEach
  void open() throws Exception {
    harness = new KeyedHarness(first);
    other = harness.another(second);
    client = harness.client();
  }

  @AfterEach
  void close() throws Exception {
    other.close();
    harness.close();
  }

  private static Column column(int id, String name, String type, boolean nullable) {
    return Column.of(id, name, DataTypeParser.parse(type), nullable);
  }

  private TableInfo createLog(String... bucketKey) {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                column(1, "id", "BIGINT", false),
                column(2, "dt", "STRING", true),
                new Column(3, "note", DataTypeParser.parse("STRING"), false, "", null, "none yet")),
            List.of());
    return harness.coordinator.createPartitioned(
        LOG, schema, 2, List.of("dt"), List.of(bucketKey), Map.of());
  }

  private TableInfo createKeyed() {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                column(1, "dt", "STRING", false),
                column(2, "id", "BIGINT", false),
                column(3, "name", "STRING", true)),
            List.of("dt", "id"));
    return harness.coordinator.createPartitioned(
        KEYED, schema, 2, List.of("dt"), List.of("id"), Map.of());
  }

  private static final Field ID = Field.nullable("id", new ArrowType.Int(64, true));
  private static final Field DT = Field.nullable("dt", ArrowType.Utf8.INSTANCE);
  private static final Field NAME = Field.nullable("name", ArrowType.Utf8.INSTANCE);

  private VectorSchemaRoot root(List<Field> fields, List<List<@Nullable Object>> rows) {
    VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields), harness.clientAllocator);
    root.allocateNew();
    for (int row = 0; row < rows.size(); row++) {
      for (int column = 0; column < fields.size(); column++) {
        Object value = rows.get(row).get(column);
        if (value instanceof Long number) {
          ((BigIntVector) root.getVector(column)).setSafe(row, number);
        } else if (value != null) {
          ((VarCharVector) root.getVector(column))
              .setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
        }
      }
    }
    root.setRowCount(rows.size());
    return root;
  }

  private static List<@Nullable Object> row(@Nullable Object... values) {
    return Arrays.asList(values);
  }

  private void upload(
      TablePath path, String writer, List<Field> fields, List<List<@Nullable Object>> rows) {
    FlightDescriptor descriptor =
        FlightDescriptor.command(
            Command.newBuilder()
                .setStockPut(
                    StockPut.newBuilder()
                        .setDatabase(path.database())
                        .setTable(path.table())
                        .setWriterName(writer))
                .build()
                .toByteArray());
    try (VectorSchemaRoot root = root(fields, rows)) {
      FlightClient.ClientStreamListener upload =
          client.startPut(descriptor, root, new AsyncPutListener());
      upload.putNext();
      upload.completed();
      upload.getResult();
    }
  }

  private static List<List<@Nullable Object>> days(int from, int to) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (long id = from; id < to; id++) {
      rows.add(row(id, "d" + id % 3));
    }
    return rows;
  }

  private List<PartitionInfo> partitions(TablePath path) {
    return harness.coordinator.table(path).getPartitionsList();
  }

  /** Rows that are visible in a partition, in all its buckets. */
  private long rows(TablePath path, String... values) {
    TableInfo table = harness.coordinator.table(path);
    long id =
        table.getPartitionsList().stream()
            .filter(each -> each.getValuesList().equals(List.of(values)))
            .findFirst()
            .orElseThrow()
            .getPartitionId();
    long rows = 0;
    for (KeyedHarness tablet : List.of(harness, other)) {
      for (Replica replica : tablet.replicas.ofTable(table.getTableId())) {
        rows += replica.bucket().partitionId() == id ? replica.offsets().visible() : 0;
      }
    }
    return rows;
  }

  @Test
  void aStockUploadRoutesRowsByValueAndMakesThePartitions() {
    createLog("id");
    upload(LOG, "", List.of(ID, DT), days(0, 300));
    assertThat(partitions(LOG)).hasSize(3);
    for (String day : List.of("d0", "d1", "d2")) {
      assertThat(rows(LOG, day)).isEqualTo(100);
    }
    // Without a bucket key too.
    harness.coordinator.table(LOG);
    upload(LOG, "", List.of(DT, ID), List.of(row("d1", 1L), row("d9", 2L)));
    assertThat(rows(LOG, "d1")).isEqualTo(101);
    assertThat(rows(LOG, "d9")).isEqualTo(1);
  }

  @Test
  void aNamedUploadIsExactlyOnceInEveryPartition() {
    createLog();
    upload(LOG, "loader", List.of(ID, DT), days(0, 300));
    upload(LOG, "loader", List.of(ID, DT), days(0, 600));
    for (String day : List.of("d0", "d1", "d2")) {
      assertThat(rows(LOG, day)).isEqualTo(200);
    }
  }

  @Test
  void rowsWithoutAPartitionRefuseTheBatchNamingRowColumnAndValue() {
    createLog();
    assertThatThrownBy(
            () -> upload(LOG, "", List.of(ID, DT), List.of(row(1L, "d1"), row(2L, null))))
        .isInstanceOf(FlightRuntimeException.class)
        .hasMessageContaining("Row 1")
        .hasMessageContaining("'dt'")
        .hasMessageContaining("NULL");
    assertThatThrownBy(
            () -> upload(LOG, "", List.of(ID, DT), List.of(row(1L, "d1"), row(2L, "forbidden"))))
        .hasMessageContaining("Row 1")
        .hasMessageContaining("forbidden")
        .hasMessageContaining("yyyyMMdd");
    assertThatThrownBy(() -> upload(LOG, "", List.of(ID, DT), List.of(row(1L, ""))))
        .hasMessageContaining("Row 0")
        .hasMessageContaining("empty");
    assertThat(rows(LOG, "d1")).isZero();
  }

  @Test
  void aColumnThatIsLeftOutHasItsWriteDefault() {
    createLog();
    upload(LOG, "", List.of(ID, DT), days(0, 3));
    assertThat(rows(LOG, "d0")).isEqualTo(1);
    Field note = Field.nullable("note", ArrowType.Utf8.INSTANCE);
    assertThatThrownBy(() -> upload(LOG, "", List.of(ID, DT, note), List.of(row(1L, "d1", null))))
        .hasMessageContaining("note");
  }

  @Test
  void nativePutsNameTheirPartition() {
    TableInfo table =
        harness.coordinator.createPartitioned(
            FlightHarness.EVENTS,
            FlightHarness.eventsSchema(),
            2,
            List.of("name"),
            List.of(),
            Map.of());
    upload(FlightHarness.EVENTS, "", List.of(ID, NAME), List.of(row(1L, "p")));
    long partition = partitions(FlightHarness.EVENTS).get(0).getPartitionId();
    NativePut put =
        NativePut.newBuilder()
            .setTableId(table.getTableId())
            .setSchemaId(1)
            .setWriterId(-1)
            .build();
    NativeUpload upload = new NativeUpload(harness.channel(), put);
    upload.send(
        NativeUpload.message(harness.clientAllocator, 1, 0, 0, 5, BatchWriter.NONE, -1, partition));
    assertThat(upload.answers(1).get(0).hasError()).isFalse();
    assertThat(upload.answers(1).get(0).getPartitionId()).isEqualTo(partition);
    upload.send(NativeUpload.message(harness.clientAllocator, 2, 0, 0, 5, BatchWriter.NONE));
    assertThat(error(upload.answers(2).get(1))).isEqualTo(ErrorCode.PARTITION_NOT_FOUND);
    upload.send(
        NativeUpload.message(harness.clientAllocator, 3, 0, 0, 5, BatchWriter.NONE, -1, 99_999));
    assertThat(error(upload.answers(3).get(2))).isEqualTo(ErrorCode.NOT_LEADER);
    harness.coordinator.dropPartition(FlightHarness.EVENTS, List.of("p"));
    upload.send(
        NativeUpload.message(harness.clientAllocator, 4, 0, 0, 5, BatchWriter.NONE, -1, partition));
    assertThat(error(upload.answers(4).get(3))).isEqualTo(ErrorCode.PARTITION_NOT_FOUND);
  }

  private static ErrorCode error(PutAnswer answer) {
    return ErrorCode.valueOf(answer.getError().getCode());
  }

  @Test
  void droppingAPartitionRemovesItsFiles() throws IOException {
    TableInfo table = createLog("id");
    upload(LOG, "", List.of(ID, DT), days(0, 300));
    long id = partitions(LOG).get(1).getPartitionId();
    assertThat(directories(first)).anyMatch(name -> name.startsWith(id + "-"));
    harness.coordinator.dropPartition(LOG, List.of("d1"));
    for (Path data : List.of(first, second)) {
      Await.until(
          "no files of partition " + id,
          FlightHarness.SOON,
          () -> directories(data).stream().noneMatch(name -> name.startsWith(id + "-")));
    }
    TableBucket gone = new TableBucket(table.getTableId(), id, 0);
    assertThatThrownBy(() -> harness.replicas.require(gone))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_FOUND))
        .hasMessageContaining("was dropped");
    // A new one of the same values is another partition.
    upload(LOG, "", List.of(ID, DT), List.of(row(1L, "d1")));
    assertThat(rows(LOG, "d1")).isEqualTo(1);
    assertThat(rows(LOG, "d2")).isEqualTo(100);
  }

  private static List<String> directories(Path data) {
    try (Stream<Path> all = Files.walk(data)) {
      return all.filter(Files::isDirectory).map(path -> path.getFileName().toString()).toList();
    } catch (IOException | java.io.UncheckedIOException goneMeanwhile) {
      return List.of("again");
    }
  }

  @Test
  void offsetsAreListedWithTheirPartitions() throws Exception {
    createLog("id");
    assertThat(offsets()).isEmpty();
    upload(LOG, "", List.of(ID, DT), days(0, 30));
    List<io.sluice.protocol.flight.v1.BucketOffsets> all = offsets();
    assertThat(all).hasSize(3).allMatch(each -> each.getPartitionId() > 0);
    assertThat(all).extracting(each -> each.getPartitionId()).doesNotHaveDuplicates();
  }

  private List<io.sluice.protocol.flight.v1.BucketOffsets> offsets()
      throws InvalidProtocolBufferException {
    byte[] body =
        ListOffsetsRequest.newBuilder()
            .setDatabase("demo")
            .setTable("visits")
            .setAt(StartAt.START_LATEST)
            .build()
            .toByteArray();
    byte[] answer = client.doAction(new Action("list-offsets", body)).next().getBody();
    return ListOffsetsResponse.parseFrom(answer).getBucketsList();
  }

  private List<Boolean> lookup(List<List<@Nullable Object>> keys) {
    FlightDescriptor descriptor =
        FlightDescriptor.command(
            Command.newBuilder()
                .setLookup(Lookup.newBuilder().setDatabase("demo").setTable("users"))
                .build()
                .toByteArray());
    List<Boolean> found = new ArrayList<>();
    try (VectorSchemaRoot root = root(List.of(DT, ID), keys);
        FlightClient.ExchangeReaderWriter exchange = client.doExchange(descriptor)) {
      exchange.getWriter().start(root);
      exchange.getWriter().putNext();
      exchange.getWriter().completed();
      while (exchange.getReader().next()) {
        BitVector flag = (BitVector) exchange.getReader().getRoot().getVector("_found");
        for (int row = 0; row < flag.getValueCount(); row++) {
          found.add(flag.get(row) == 1);
        }
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return found;
  }

  @Test
  void lookupsFindRowsInTheirPartitionAndMakeNone() {
    createKeyed();
    upload(
        KEYED,
        "",
        List.of(DT, ID, NAME),
        List.of(row("d1", 1L, "a"), row("d1", 2L, "b"), row("d2", 1L, "c")));
    List<List<@Nullable Object>> keys =
        List.of(row("d1", 1L), row("d2", 1L), row("d2", 2L), row("nowhere", 1L), row("d1", 2L));
    assertThat(lookup(keys)).containsExactly(true, true, false, false, true);
    assertThat(partitions(KEYED)).hasSize(2);
    harness.coordinator.dropPartition(KEYED, List.of("d1"));
    assertThat(lookup(keys)).containsExactly(false, true, false, false, false);
  }
}
