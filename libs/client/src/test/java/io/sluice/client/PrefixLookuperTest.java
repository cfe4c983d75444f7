package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PrefixLookuperTest {
  /** The partition column stands inside of the key. */
  private static final TableSchema ORDERS =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "customer", new DataType.StringType(), false),
              Column.of(2, "dt", new DataType.StringType(), false),
              Column.of(3, "order", new DataType.IntegerType(32), false),
              Column.of(4, "price", new DataType.IntegerType(64), true)),
          List.of("customer", "dt", "order"));

  private static FakeCluster cluster() {
    return new FakeCluster(ORDERS, 3, 2, "customer");
  }

  private static void load(Connection connection, int customers) {
    try (UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      for (int i = 0; i < customers; i++) {
        for (int order = i % 4; order > 0; order--) {
          writer.upsert(Row.of("c" + i, "d" + order % 2, order, 100L * i + order));
        }
      }
    }
  }

  @Test
  void findsAllRowsOfAPrefixInKeyOrder() throws Exception {
    try (FakeCluster cluster = cluster();
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 200);
      PrefixLookuper lookuper = connection.table("demo.t").prefixLookuper();
      List<CompletableFuture<List<Row>>> answers = new ArrayList<>();
      for (int i = 0; i < 201; i++) {
        answers.add(lookuper.lookup(Key.of("c" + i)));
      }
      for (int i = 0; i < 200; i++) {
        List<Row> rows = answers.get(i).get(20, TimeUnit.SECONDS);
        int expected = i % 4;
        assertThat(rows).hasSize(expected);
        if (expected == 3) {
          assertThat(rows).extracting(row -> row.getInt(2)).containsExactly(2, 1, 3);
          assertThat(rows.get(0).getLong(3)).isEqualTo(100L * i + 2);
        }
      }
      assertThat(answers.get(200).get(20, TimeUnit.SECONDS)).isEmpty();
      // A prefix is a column, not the beginning of a text.
      assertThat(lookuper.find(Key.of("c"))).isEmpty();
    }
  }

  @Test
  void limitsGoTogetherOnlyWithTheirOwn() throws Exception {
    try (FakeCluster cluster = new FakeCluster(ORDERS, 1, 1, "customer");
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 60);
      PrefixLookuper lookuper = connection.table("demo.t").prefixLookuper("order");
      List<CompletableFuture<List<Row>>> answers = new ArrayList<>();
      for (int limit = 1; limit <= 4; limit++) {
        for (int i = 3; i < 60; i += 4) {
          answers.add(lookuper.lookup(Key.of("c" + i), limit));
        }
      }
      for (int i = 0; i < answers.size(); i++) {
        List<Row> rows = answers.get(i).get(20, TimeUnit.SECONDS);
        assertThat(rows).hasSize(Math.min(3, 1 + i / 15));
        assertThat(rows.get(0).columnCount()).isEqualTo(1);
        assertThat(rows.get(0).getInt(0)).isEqualTo(2);
      }
      assertThatThrownBy(() -> lookuper.lookup(Key.of("c1"), 0)).hasMessageContaining("limit");
      assertThat(lookuper.find(Key.of("c3"), 2)).hasSize(2);
    }
  }

  @Test
  void partitionsArePartOfThePrefixAndAreNotMade() {
    try (FakeCluster cluster = FakeCluster.partitioned(ORDERS, 2, 2, List.of("dt"), "customer");
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 40);
      PrefixLookuper lookuper = connection.table("demo.t").prefixLookuper();
      assertThat(lookuper.find(Key.of("d1", "c3")))
          .extracting(row -> row.getInt(2))
          .containsExactly(1, 3);
      assertThat(lookuper.find(Key.of("d0", "c3")))
          .extracting(row -> row.getInt(2))
          .containsExactly(2);
      int asked = cluster.partitions().asked();
      assertThat(lookuper.find(Key.of("nowhere", "c3"))).isEmpty();
      assertThat(cluster.partitions().asked()).isEqualTo(asked);
      cluster.partitions().drop("d1");
      assertThat(lookuper.find(Key.of("d1", "c3"))).isEmpty();
      assertThatThrownBy(() -> lookuper.lookup(Key.of("c3")))
          .hasMessageContaining("The prefix has 1 values")
          .hasMessageContaining("(dt STRING, customer STRING)");
      assertThatThrownBy(() -> lookuper.lookup(Key.of("d1", 3)))
          .hasMessageContaining("(dt STRING, customer STRING)")
          .hasMessageContaining("Integer");
    }
  }

  @Test
  void answersThatAreTooLargeAreAskedForInParts() throws Exception {
    try (FakeCluster cluster = new FakeCluster(ORDERS, 1, 1, "customer");
        Connection connection = Connection.open(cluster.config())) {
      load(connection, 400);
      cluster.setLookupFaults(
          (tablet, number, request) ->
              request.getKeysCount() > 3 ? Fault.refuse(ErrorCode.BATCH_TOO_LARGE) : Fault.NONE);
      PrefixLookuper lookuper = connection.table("demo.t").prefixLookuper();
      List<CompletableFuture<List<Row>>> answers = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        answers.add(lookuper.lookup(Key.of("c" + i)));
      }
      for (int i = 0; i < 400; i++) {
        assertThat(answers.get(i).get(20, TimeUnit.SECONDS)).hasSize(i % 4);
      }
    }
  }

  @Test
  void oneAnswerThatIsTooLargeIsAFailure() {
    try (FakeCluster cluster = cluster();
        Connection connection = Connection.open(cluster.config())) {
      cluster.setLookupFaults(
          (tablet, number, request) -> Fault.refuse(ErrorCode.QUERY_LIMIT_EXCEEDED));
      PrefixLookuper lookuper = connection.table("demo.t").prefixLookuper();
      assertThatThrownBy(() -> lookuper.find(Key.of("c1")))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.QUERY_LIMIT_EXCEEDED));
    }
  }

  @Test
  void failuresThatPassAreRetriedAndClosingEndsTheRest() {
    try (FakeCluster cluster = cluster();
        Connection connection =
            Connection.open(cluster.config().withRequestTimeout(Duration.ofSeconds(20)))) {
      load(connection, 20);
      for (Fault fault : List.of(Fault.refuse(ErrorCode.NOT_LEADER), Fault.of(Kind.DROP))) {
        cluster.setLookupFaults((tablet, number, request) -> number % 3 == 1 ? fault : Fault.NONE);
        PrefixLookuper lookuper = connection.table("demo.t").prefixLookuper();
        for (int i = 0; i < 20; i++) {
          assertThat(lookuper.find(Key.of("c" + i))).hasSize(i % 4);
        }
      }
      cluster.setLookupFaults((tablet, number, request) -> Fault.of(Kind.STORE_AND_HOLD));
      PrefixLookuper closed = connection.table("demo.t").prefixLookuper();
      CompletableFuture<List<Row>> underWay = closed.lookup(Key.of("c1"));
      closed.close();
      closed.close();
      assertThatThrownBy(underWay::join).hasMessageContaining("The prefix lookuper of demo.t");
      assertThatThrownBy(() -> closed.lookup(Key.of("c1"))).hasMessageContaining("was closed");
    }
  }

  @Test
  void tablesWithoutASuitableBucketKeySayWhatTheyWouldNeed() {
    try (FakeCluster whole = new FakeCluster(UpsertWriterTest.SCHEMA, 1, 1, "id");
        FakeCluster other = new FakeCluster(ORDERS, 1, 1, "order");
        FakeCluster log = new FakeCluster(AppendWriterTest.SCHEMA, 1, 1);
        Connection toWhole = Connection.open(whole.config());
        Connection toOther = Connection.open(other.config());
        Connection toLog = Connection.open(log.config())) {
      assertThatThrownBy(() -> toWhole.table("demo.t").prefixLookuper())
          .hasMessageContaining("primary key has one column, id");
      assertThatThrownBy(() -> toOther.table("demo.t").prefixLookuper())
          .hasMessageContaining("bucket key is (order)")
          .hasMessageContaining("'bucket.key' = 'customer'");
      assertThatThrownBy(() -> toLog.table("demo.t").prefixLookuper())
          .hasMessageContaining("log table");
    }
  }
}
