package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.EndAt;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.testkit.Await;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Scans of tables whose schema or partitions changed, before and while they run. */
final class ChangedTableScanTest {
  private static final long TABLE = 77;
  private static final TableSchema FIRST = schema(1, column(1, "id INT"), column(2, "name STRING"));
  private static final TableSchema WITH_AGE =
      schema(2, column(1, "id INT"), column(2, "name STRING"), column(3, "age BIGINT"));

  private FlightHarness harness;
  private FakeReplicas replicas;
  private ScannedTable scans;

  @BeforeEach
  void open() throws Exception {
    harness = new FlightHarness();
    replicas = harness.tablet().replicas;
    scans = new ScannedTable(harness, harness.client());
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static Column column(int id, String definition) {
    int blank = definition.indexOf(' ');
    return Column.of(
        id,
        definition.substring(0, blank),
        DataTypeParser.parse(definition.substring(blank + 1)),
        true);
  }

  private static TableSchema schema(int id, Column... columns) {
    return new TableSchema(id, List.of(columns), List.of());
  }

  private static HostedTable table(TableSchema... schemas) {
    return new HostedTable(TABLE, FlightHarness.EVENTS, List.of(schemas), 1, List.of(), Map.of());
  }

  private static HostedTable partitioned(Map<Long, List<String>> partitions) {
    return new HostedTable(
        TABLE,
        FlightHarness.EVENTS,
        List.of(FIRST),
        2,
        List.of(),
        Map.of(),
        List.of("name"),
        partitions);
  }

  private static ScanTicket.Builder ticket() {
    return ScanTicket.newBuilder().setDatabase("demo").setTable("events");
  }

  private static List<Object> row(Object... values) {
    return Arrays.asList(values);
  }

  private FakeReplica beforeAndAfterAddingAge() {
    FakeReplica replica = replicas.host(table(FIRST), TableBucket.of(TABLE, 0));
    scans.store(replica, FIRST, Row.of(1, "a"), Row.of(2, "b"), Row.of(3, "c"));
    scans.store(replica, FIRST, Row.of(4, "d"), Row.of(5, "e"));
    replicas.change(table(FIRST, WITH_AGE));
    scans.store(replica, WITH_AGE, Row.of(6, "f", 60L));
    return replica;
  }

  private List<List<Object>> read(ScanTicket.Builder ticket) {
    return ScannedTable.rows(scans.messages(ticket));
  }

  @Test
  void anAddedColumnIsNullInRowsStoredBefore() {
    beforeAndAfterAddingAge();
    assertThat(read(ticket().addColumns("age")))
        .containsExactly(
            row((Object) null),
            row((Object) null),
            row((Object) null),
            row((Object) null),
            row((Object) null),
            row(60L));
    assertThat(read(ticket().addColumns("age").addColumns("id")))
        .contains(row(null, 1), row(60L, 6))
        .hasSize(6);
    assertThat(read(ticket())).contains(row(1, "a", null), row(6, "f", 60L)).hasSize(6);
    assertThat(read(ticket().setLimit(4))).hasSize(4).contains(row(4, "d", null));
    assertThat(read(ticket().addColumns("age").setLimit(4))).hasSize(4);
    for (boolean exact : new boolean[] {true, false}) {
      assertThat(read(ticket().setFilter("age IS NULL").setExactFilter(exact))).hasSize(5);
      assertThat(read(ticket().setFilter("age = 60").setExactFilter(exact)))
          .containsExactly(row(6, "f", 60L));
      assertThat(read(ticket().setFilter("age > 60").setExactFilter(exact))).isEmpty();
    }
  }

  @Test
  void aReaderBoundToTheOldSchemaSeesItsColumnsInNewRows() {
    beforeAndAfterAddingAge();
    assertThat(read(ticket().setSchemaId(1)))
        .containsExactly(
            row(1, "a"), row(2, "b"), row(3, "c"), row(4, "d"), row(5, "e"), row(6, "f"));
    assertThatThrownBy(() -> read(ticket().setSchemaId(1).addColumns("age")))
        .hasMessageContaining("'age' does not exist");
  }

  @Test
  void aScanUnderASchemaThatHasNotArrivedYetWaitsForIt() {
    FakeReplica replica = replicas.host(table(FIRST), TableBucket.of(TABLE, 0));
    scans.store(replica, FIRST, Row.of(1, "a"));
    RawCall call = scans.rawCall(ticket().setSchemaId(2).addColumns("age"));
    replicas.change(table(FIRST, WITH_AGE));
    Await.until("the end", FlightHarness.SOON, () -> call.status() != null);
    assertThat(call.status().isOk()).isTrue();
  }

  @Test
  void aDroppedColumnEndsTheScansThatNeedItWithTheOffsetToGoOnAt() {
    FakeReplica replica = beforeAndAfterAddingAge();
    TableSchema dropped = schema(3, column(1, "id INT"), column(3, "age BIGINT"));
    RawCall follower =
        scans.rawCall(
            ticket().setSchemaId(2).addBuckets(BucketScan.newBuilder().setEndAt(EndAt.END_NONE)));
    RawCall other =
        scans.rawCall(
            ticket()
                .setSchemaId(2)
                .addColumns("id")
                .setFilter("name LIKE 'f%' OR id = 7")
                .setExactFilter(true)
                .addBuckets(BucketScan.newBuilder().setEndAt(EndAt.END_NONE)));
    scans.await(follower, told -> told.getNextOffset() == 6);
    replicas.change(table(FIRST, WITH_AGE, dropped));
    scans.store(replica, dropped, Row.of(7, 70L));
    for (RawCall call : List.of(follower, other)) {
      Await.until("the end", FlightHarness.SOON, () -> call.status() != null);
      SluiceException failure = call.failure();
      assertThat(failure.code()).isEqualTo(ErrorCode.SCHEMA_CHANGED);
      assertThat(failure.details()).containsEntry("next_offset", "6");
    }
    assertThat(read(ticket().setSchemaId(2).addColumns("id").addColumns("age")))
        .contains(row(7, 70L))
        .hasSize(7);
    assertThat(read(ticket())).contains(row(7, 70L), row(1, null)).hasSize(7);
  }

  @Test
  void nestedFieldsAreReadByTheirPaths() {
    TableSchema nested =
        schema(
            1,
            column(1, "id INT"),
            new Column(
                2,
                "place",
                io.sluice.format.schema.FieldIds.with(
                    DataTypeParser.parse("ROW<city STRING, zip INT, spot ROW<x INT, y INT>>"),
                    List.of(3, 4, 5, 6, 7)),
                true,
                ""));
    FakeReplica replica = replicas.host(table(nested), TableBucket.of(TABLE, 0));
    scans.store(
        replica,
        nested,
        Row.of(1, Row.of("Oslo", 150, Row.of(1, 2))),
        Row.of(2, Row.of("Bern", 3000, null)),
        Row.of(3, null),
        Row.of(4, Row.of("Rome", 100, Row.of(5, 6))));
    assertThat(read(ticket().addColumns("place.city").addColumns("id")).toString())
        .contains("{\"city\":\"Oslo\"}, 1")
        .contains("null, 3")
        .doesNotContain("zip");
    assertThat(
            read(ticket()
                    .addColumns("place.spot.y")
                    .setFilter("place.city > 'C' AND place.spot.x IS NOT NULL")
                    .setExactFilter(true))
                .toString())
        .isEqualTo("[[{\"spot\":{\"y\":2}}], [{\"spot\":{\"y\":6}}]]");
    assertThat(read(ticket().setFilter("id = 4 OR place IS NULL").setExactFilter(true)))
        .extracting(each -> each.get(0))
        .containsExactly(3, 4);
    assertThatThrownBy(() -> read(ticket().addColumns("place.city").addColumns("place")))
        .hasMessageContaining("asked for twice, or as a whole and in parts");
  }

  @Test
  void partitionsAreReadByTheirIdsAndRuledOutByTheFilter() {
    HostedTable table = partitioned(Map.of(5L, List.of("EU"), 6L, List.of("US")));
    for (long partition : new long[] {5, 6}) {
      for (int bucket = 0; bucket < 2; bucket++) {
        FakeReplica replica = replicas.host(table, new TableBucket(TABLE, partition, bucket));
        int id = (int) (10 * partition + bucket);
        scans.store(replica, FIRST, Row.of(id, partition == 5 ? "EU" : "US"));
      }
    }
    assertThat(read(ticket().addColumns("id")))
        .containsExactlyInAnyOrder(row(50), row(51), row(60), row(61));
    assertThat(read(ticket().addColumns("id").setFilter("name = 'US'")))
        .containsExactlyInAnyOrder(row(60), row(61));
    assertThat(read(ticket().setFilter("name = 'AP' OR id < 0"))).isEmpty();
    List<ScannedTable.Message> one =
        scans.messages(ticket().addBuckets(BucketScan.newBuilder().setPartitionId(6).setBucket(1)));
    assertThat(ScannedTable.rows(one)).containsExactly(row(61, "US"));
    assertThat(one.get(0).metadata().getPartitionId()).isEqualTo(6);
    assertThatThrownBy(() -> read(ticket().addBuckets(BucketScan.newBuilder().setBucket(1))))
        .hasMessageContaining("is partitioned; name the partition of each bucket");
  }

  @Test
  void aPartitionThatIsDroppedEndsTheScanByName() {
    HostedTable table = partitioned(Map.of(5L, List.of("EU"), 6L, List.of("US")));
    FakeReplica replica = replicas.host(table, new TableBucket(TABLE, 5, 0));
    scans.store(replica, FIRST, Row.of(1, "EU"));
    RawCall follower =
        scans.rawCall(
            ticket()
                .addBuckets(BucketScan.newBuilder().setPartitionId(5).setEndAt(EndAt.END_NONE)));
    scans.await(follower, told -> told.getNextOffset() == 1);
    replicas.change(partitioned(Map.of(6L, List.of("US"))));
    Await.until("the end", FlightHarness.SOON, () -> follower.status() != null);
    assertThat(follower.failure().code()).isEqualTo(ErrorCode.PARTITION_NOT_FOUND);
    assertThat(follower.failure().details()).containsEntry("partition_id", "5");
  }
}
