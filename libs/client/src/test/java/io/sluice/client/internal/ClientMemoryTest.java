package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.TableDescription;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** bounded: nothing of what writers and scanners take stays when they are closed. */
@Timeout(60)
class ClientMemoryTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(64), false),
              Column.of(2, "text", new DataType.StringType(), true)),
          List.of());
  private static final ScanRequest FOLLOW =
      new ScanRequest(
          null,
          ScanRequest.Start.EARLIEST,
          0,
          Map.of(),
          Map.of(),
          Set.of(),
          Set.of(),
          "",
          false,
          true,
          0,
          0,
          new ScanRequest.Metadata(false, false, false),
          false);

  private static void assertNothingLeft(ClientCore core) {
    Await.until(
        "all memory is given back",
        Duration.ofSeconds(10),
        () -> core.allocator().getAllocatedMemory() == 0);
  }

  private static void append(AppendWriter writer, int rows) {
    for (long i = 0; i < rows; i++) {
      writer.row().setLong(0, i).setString(1, "text of row " + i).append();
    }
  }

  @Test
  void closingGivesEverythingBackWhateverFailed() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 3, 2)) {
      cluster.setFaults(
          (tablet, number, put) ->
              switch (number % 7) {
                case 2 -> Fault.of(Kind.DROP);
                case 3 -> Fault.of(Kind.STORE_AND_DROP);
                case 5 -> Fault.refuse(ErrorCode.CORRUPT_BATCH);
                case 6 -> Fault.refuse(ErrorCode.NOT_LEADER);
                default -> Fault.NONE;
              });
      ClientCore core = new ClientCore(cluster.config().withBatchBytes(2048), TimeSource.SYSTEM);
      TableDescription table = core.tables().load(TablePath.parse("demo.t"));
      AppendWriter writer = WriterOpening.open(core, table, WriterOptions.defaults());
      append(writer, 3000);
      writer.append(Row.of(1L, "x".repeat((32 << 20) + 1)));
      try {
        writer.close();
      } catch (SluiceException e) {
        assertThat(e.code()).isIn(ErrorCode.CORRUPT_BATCH, ErrorCode.ROW_TOO_LARGE);
      }
      assertNothingLeft(core);
      LogScanner scanner = ScanOpening.open(core, table, FOLLOW);
      scanner.poll(Duration.ofSeconds(5)).forEach(ScanBatch::close);
      scanner.close();
      assertNothingLeft(core);
      core.close();
    }
  }

  @Test
  void halvedPutsGiveBackWhatTheyHeld() {
    TableSchema keyed = new TableSchema(1, SCHEMA.columns(), List.of("id"));
    try (FakeCluster cluster = new FakeCluster(keyed, 2, 1, "id")) {
      cluster.setFaults(
          (tablet, number, put) ->
              put.getChangeTypes().size() > 5
                  ? Fault.refuse(ErrorCode.PUT_TOO_LARGE)
                  : number % 9 == 0 ? Fault.of(Kind.STORE_AND_DROP) : Fault.NONE);
      ClientCore core = new ClientCore(cluster.config().withBatchBytes(2048), TimeSource.SYSTEM);
      TableDescription table = core.tables().load(TablePath.parse("demo.t"));
      UpsertWriter writer = WriterOpening.openUpserts(core, table, WriterOptions.defaults());
      for (long i = 0; i < 500; i++) {
        writer.upsert(Row.of(i, "text of row " + i));
      }
      writer.close();
      assertThat(cluster.allRows()).hasSize(500);
      assertNothingLeft(core);
      core.close();
    }
  }

  @Test
  void closingTheConnectionClosesWhatIsOpen() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1)) {
      ClientCore core = new ClientCore(cluster.config(), TimeSource.SYSTEM);
      TableDescription table = core.tables().load(TablePath.parse("demo.t"));
      append(WriterOpening.open(core, table, WriterOptions.defaults()), 100);
      ScanOpening.open(core, table, FOLLOW);
      core.close();
      core.close();
      assertThat(core.allocator().getAllocatedMemory()).isZero();
      assertThat(cluster.allValues()).hasSize(100);
    }
  }

  @Test
  void anAbandonedDeliveryGivesBackWhatItHeld() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1)) {
      ClientCore core =
          new ClientCore(
              cluster.config().withDeliveryTimeout(Duration.ofMillis(300)), TimeSource.SYSTEM);
      TableDescription table = core.tables().load(TablePath.parse("demo.t"));
      AppendWriter writer = WriterOpening.open(core, table, WriterOptions.defaults());
      cluster.tablet(1).stop();
      append(writer, 100);
      try {
        writer.close();
      } catch (SluiceException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT);
      }
      assertNothingLeft(core);
      core.close();
      cluster.tablet(1).start();
    }
  }
}
