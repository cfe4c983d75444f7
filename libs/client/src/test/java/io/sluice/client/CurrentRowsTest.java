package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CurrentRowsTest {
  private static void load(Connection connection) {
    try (UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      for (int i = 0; i < 200; i++) {
        writer.upsert(Row.of((long) (i % 50), "text " + i, i));
      }
      writer.delete(Key.of(49L));
    }
  }

  private static List<Integer> numbers(LogScanner scanner) {
    List<Integer> numbers = new ArrayList<>();
    while (!scanner.finished()) {
      for (ScanBatch batch : scanner.poll(Duration.ofSeconds(1))) {
        try (batch) {
          batch.rows().forEach(row -> numbers.add(row.getInt(2)));
        }
      }
    }
    return numbers;
  }

  private static List<Integer> expected() {
    List<Integer> expected = new ArrayList<>();
    for (int i = 150; i < 199; i++) {
      expected.add(i);
    }
    return expected;
  }

  @Test
  void givesEachRowOnceAndWhereTheChangelogGoesOn() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 3, 2, "id");
        Connection connection = Connection.open(cluster.config())) {
      load(connection);
      try (LogScanner scanner = connection.table("demo.t").scan().current().open()) {
        assertThat(numbers(scanner)).containsExactlyInAnyOrderElementsOf(expected());
        assertThat(scanner.positions())
            .isEqualTo(
                Map.of(
                    0, cluster.bucket(0).end(),
                    1, cluster.bucket(1).end(),
                    2, cluster.bucket(2).end()));
      }
      try (LogScanner scanner = connection.table("demo.t").scan().current().limit(5).open()) {
        assertThat(numbers(scanner)).hasSize(5);
      }
    }
  }

  @Test
  void isOpenedAgainBetweenBucketsButNotInsideOne() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 2, 1, "id");
        Connection connection = Connection.open(cluster.config())) {
      load(connection);
      // An even number of messages: the stream breaks before a bucket.
      cluster.breakScans((tablet, number) -> number == 1 ? 0 : 2);
      try (LogScanner scanner = connection.table("demo.t").scan().current().open()) {
        assertThat(numbers(scanner)).containsExactlyInAnyOrderElementsOf(expected());
      }
      cluster.breakScans((tablet, number) -> 1);
      try (LogScanner scanner = connection.table("demo.t").scan().current().open()) {
        assertThatThrownBy(() -> numbers(scanner))
            .hasMessageContaining("open it again")
            .isInstanceOfSatisfying(
                SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
      }
    }
  }

  @Test
  void anEmptyTableHasNone() {
    try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 2, 1, "id");
        Connection connection = Connection.open(cluster.config());
        LogScanner scanner = connection.table("demo.t").scan().current().open()) {
      assertThat(numbers(scanner)).isEmpty();
      assertThat(scanner.positions()).isEqualTo(Map.of(0, 0L, 1, 0L));
    }
  }

  @Test
  void whatCurrentRowsDoNotHaveIsRefused() {
    try (FakeCluster keyed = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        FakeCluster log = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection toKeyed = Connection.open(keyed.config());
        Connection toLog = Connection.open(log.config())) {
      Table table = toKeyed.table("demo.t");
      assertThatThrownBy(() -> toLog.table("demo.t").scan().current().open())
          .hasMessageContaining("has no primary key");
      assertThatThrownBy(() -> table.scan().current().follow().open())
          .hasMessageContaining("follow()");
      assertThatThrownBy(() -> table.scan().current().withOffset().open())
          .hasMessageContaining("no offset");
    }
  }
}
