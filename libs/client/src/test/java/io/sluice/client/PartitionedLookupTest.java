package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Upserts and lookups in partitioned tables: the partition columns are part of the key. */
@Timeout(60)
class PartitionedLookupTest {
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "dt", new DataType.StringType(), false),
              Column.of(2, "id", new DataType.IntegerType(64), false),
              Column.of(3, "name", new DataType.StringType(), true)),
          List.of("dt", "id"));

  private static FakeCluster cluster() {
    return FakeCluster.partitioned(SCHEMA, 3, 2, List.of("dt"), "id");
  }

  @Test
  void findsWhatWasUpsertedInItsPartitionOnly() {
    try (FakeCluster cluster = cluster();
        Connection connection = Connection.open(cluster.config());
        Lookuper lookuper = connection.table("demo.t").lookuper();
        UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      for (long id = 0; id < 30; id++) {
        writer.upsert(Row.of("d" + id % 3, id, "n" + id));
      }
      writer.delete(Key.of("d0", 3L));
      writer.flush();
      assertThat(cluster.partitions().all()).hasSize(3);
      assertThat(lookuper.find(Key.of("d1", 1L)).orElseThrow().getString(2)).isEqualTo("n1");
      assertThat(lookuper.find(Key.of("d0", 1L))).isEmpty();
      assertThat(lookuper.find(Key.of("d0", 3L))).isEmpty();
    }
  }

  @Test
  void aPartitionThatDoesNotExistHasNoRowsAndIsNotMade() {
    try (FakeCluster cluster = cluster();
        Connection connection = Connection.open(cluster.config());
        Lookuper lookuper = connection.table("demo.t").lookuper()) {
      assertThat(lookuper.find(Key.of("nowhere", 1L))).isEmpty();
      assertThat(cluster.partitions().all()).isEmpty();
      assertThat(cluster.partitions().asked()).isZero();
      try (UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
        writer.upsert(Row.of("nowhere", 1L, "now here"));
        writer.flush();
      }
      assertThat(lookuper.find(Key.of("nowhere", 1L))).isPresent();
    }
  }

  @Test
  void manyKeysOfAPartitionThatDoesNotExistAreAskedForTogether() {
    try (FakeCluster cluster = cluster();
        Connection connection = Connection.open(cluster.config());
        Lookuper lookuper = connection.table("demo.t").lookuper()) {
      int before = cluster.lookUps();
      List<CompletableFuture<Optional<Row>>> answers = new ArrayList<>();
      for (long id = 0; id < 1000; id++) {
        answers.add(lookuper.lookup(Key.of("nowhere", id)));
      }
      assertThat(answers).allSatisfy(each -> assertThat(each.get(20, TimeUnit.SECONDS)).isEmpty());
      assertThat(cluster.lookUps() - before).isLessThan(500);
    }
  }

  @Test
  void aDroppedPartitionHasNoRowsAndANewOneOfItsValuesIsFound() {
    try (FakeCluster cluster = cluster();
        Connection connection = Connection.open(cluster.config());
        Lookuper lookuper = connection.table("demo.t").lookuper()) {
      try (UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
        writer.upsert(Row.of("d", 1L, "first"));
        writer.flush();
      }
      assertThat(lookuper.find(Key.of("d", 1L))).isPresent();
      cluster.partitions().drop("d");
      assertThat(lookuper.find(Key.of("d", 1L))).isEmpty();
      try (UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
        writer.upsert(Row.of("d", 1L, "second"));
        writer.flush();
      }
      assertThat(lookuper.find(Key.of("d", 1L)).orElseThrow().getString(2)).isEqualTo("second");
    }
  }

  @Test
  void partialUpdatesReachThePartitionOfTheirKey() {
    try (FakeCluster cluster = cluster();
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer =
            connection
                .table("demo.t")
                .upsertWriter(WriterOptions.defaults().partial("id", "dt", "name"))) {
      writer.upsert(Row.of(7L, "d", "x"));
      writer.flush();
      assertThat(cluster.partitions().all()).containsExactly(List.of("d"));
      assertThatThrownBy(() -> writer.upsert(Row.of(7L, null, "x")))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("'dt'");
    }
  }
}
