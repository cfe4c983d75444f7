package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.client.TableDescription;
import io.sluice.client.WriterOptions;
import io.sluice.client.fake.FakeCluster;
import io.sluice.common.TablePath;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Await;
import io.sluice.testkit.MovedClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IdleScanTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final TableSchema SCHEMA =
      new TableSchema(
          1, List.of(Column.of(1, "id", new DataType.IntegerType(64), false)), List.of());
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

  /**
   * The delivery time-out is counted from when a scan stopped working, not from its first break.
   */
  @Test
  void anIdleFollowerOutlivesRestartsThatAreFarApart() {
    MovedClock clock = new MovedClock(1_700_000_000_000L);
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1)) {
      ClientCore core = new ClientCore(cluster.config(), clock);
      TableDescription table = core.tables().load(TablePath.parse("demo.t"));
      LogScanner scanner = ScanOpening.open(core, table, FOLLOW);
      long received = 0;
      for (int restarts = 0; restarts < 3; restarts++) {
        long before = received;
        Await.until("the scan is served", SOON, () -> scanner.bytesReceived() > before);
        received = scanner.bytesReceived();
        clock.advanceMs(10 * 60 * 1000);
        cluster.tablet(1).stop();
        cluster.tablet(1).start();
      }
      AppendWriter writer = WriterOpening.open(core, table, WriterOptions.defaults());
      writer.append(Row.of(7L)).join();
      int[] rows = {0};
      Await.until(
          "the row arrives",
          SOON,
          () -> {
            for (ScanBatch batch : scanner.poll(Duration.ofMillis(50))) {
              rows[0] += batch.rowCount();
              batch.close();
            }
            return rows[0] == 1;
          });
      assertThat(cluster.tablet(1).scans()).isGreaterThan(2);
      core.close();
    }
  }
}
