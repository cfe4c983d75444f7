package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Upserts of rows that are set column by column. */
@Timeout(60)
class TypedUpsertTest {
  private static final TableSchema SCHEMA = UpsertWriterTest.SCHEMA;

  private static final TableSchema NESTED =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "name", new DataType.StringType(), false),
              Column.of(2, "tags", new DataType.ArrayType(new DataType.StringType(), true), true)),
          List.of("name"));

  @Test
  void keepTheirPlaceAmongTheOtherCalls() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 3, 2, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      writer.upsert(Row.of(1L, "first", 1));
      writer.row().setLong(0, 1).setString(1, "second").setInt(2, 2).append();
      writer.row().setLong(0, 2).setInt(2, 5).setString(1, "gone").append();
      writer.delete(Key.of(2L));
      writer.row().setLong(0, 3).append();
      writer.flush();
      assertThat(cluster.allRows())
          .containsExactlyInAnyOrder(GenericRow.of(1L, "second", 2), GenericRow.of(3L, null, null));
    }
  }

  @Test
  void aRowCanBeCorrectedOrDiscarded() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      RowAppender row = writer.row().setLong(0, 1);
      assertThatThrownBy(() -> row.setString(2, "no number")).hasMessageContaining("'number'");
      row.setInt(2, 7).append();
      writer.row().setLong(0, 2).setString(1, "dropped").discard();
      assertThatThrownBy(() -> writer.row().setString(1, "no key").append())
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
          .hasMessageContaining("'id'");
      writer.row().setLong(0, 4).setString(1, "left");
      writer.row().setLong(0, 5).append();
      writer.flush();
      assertThat(cluster.allRows())
          .containsExactlyInAnyOrder(GenericRow.of(1L, null, 7), GenericRow.of(5L, null, null));
    }
  }

  @Test
  void partialWritersCountTheirOwnColumns() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter whole = connection.table("demo.t").upsertWriter();
        UpsertWriter numbers =
            connection
                .table("demo.t")
                .upsertWriter(WriterOptions.defaults().partial("number", "id"))) {
      whole.upsert(Row.of(1L, "one", 1));
      whole.flush();
      numbers.row().setInt(0, 11).setLong(1, 1).append();
      numbers.flush();
      assertThat(cluster.allRows()).containsExactly(GenericRow.of(1L, "one", 11));
    }
  }

  @Test
  void mayHaveNestedColumns() {
    try (FakeCluster cluster = new FakeCluster(NESTED, 2, 1, "name");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
      writer.row().setString(0, "a").setObject(1, List.of("x", "y")).append();
      writer.row().setString(0, "b").append();
      writer.row().setString(0, "a").setObject(1, List.of("z")).append();
      writer.flush();
      assertThat(cluster.allRows())
          .extracting(row -> row.value(0) + " " + row.value(1))
          .containsExactlyInAnyOrder("a [\"z\"]", "b null");
    }
  }

  @Test
  void areNotForNamedWriters() {
    try (FakeCluster cluster = new FakeCluster(SCHEMA, 1, 1, "id");
        Connection connection = Connection.open(cluster.config());
        UpsertWriter writer =
            connection.table("demo.t").upsertWriter(WriterOptions.named("loader"))) {
      assertThatThrownBy(writer::row).hasMessageContaining("sequence");
    }
  }

  @Test
  void makeTheRowsOfAModel() {
    Seeds.run(
        3,
        (seed, random) -> {
          Map<Long, GenericRow> model = new HashMap<>();
          try (FakeCluster cluster = new FakeCluster(SCHEMA, 3, 2, "id");
              Connection connection = Connection.open(cluster.config().withBatchBytes(4096));
              UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
            for (int i = 0; i < 4000; i++) {
              long id = random.nextInt(300);
              if (random.nextInt(10) == 0) {
                writer.delete(Key.of(id));
                model.remove(id);
                continue;
              }
              @Nullable String text =
                  random.nextInt(5) == 0 ? null : "\u00e9".repeat(random.nextInt(3)) + "t" + i;
              RowAppender row = writer.row().setInt(2, i).setLong(0, id);
              if (text != null) {
                row.setString(1, text);
              }
              row.append();
              model.put(id, GenericRow.of(id, text, i));
            }
            writer.flush();
            assertThat(cluster.allRows()).containsExactlyInAnyOrderElementsOf(model.values());
          }
        });
  }
}
