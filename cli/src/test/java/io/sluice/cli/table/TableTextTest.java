package io.sluice.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.BucketDescription;
import io.sluice.client.PartitionDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableTextTest {
  private static Column column(int id, String name, String type, boolean nullable, String value) {
    return new Column(id, name, DataTypeParser.parse(type), nullable, "", null, value);
  }

  private static TableDescription table(List<PartitionDescription> partitions, int buckets) {
    List<BucketDescription> all = new ArrayList<>();
    for (PartitionDescription partition : partitions) {
      for (int i = 0; i < buckets; i++) {
        all.add(
            new BucketDescription(
                partition.partitionId(), i, 1, 1, List.of(1), List.of(1), "127.0.0.1:9223"));
      }
    }
    TableSchema schema =
        new TableSchema(
            3,
            List.of(
                column(1, "id", "BIGINT", false, null),
                column(2, "dt", "STRING", true, "none"),
                column(
                    3,
                    "r",
                    "ROW<x INT NOT NULL, l ARRAY<ROW<y STRING> NOT NULL>, m MAP<STRING, INT>>",
                    true,
                    null)),
            List.of());
    return new TableDescription(
        7,
        TablePath.parse("demo.t"),
        schema,
        buckets,
        List.of("id"),
        Map.of("table.log.ttl", "3d", "bucket.num", "2"),
        "",
        0,
        1,
        all,
        List.of("dt"),
        partitions);
  }

  @Test
  void nestedTypesHaveALineForEachField() {
    assertThat(TableText.columns(table(List.of(), 2)).lines())
        .extracting(line -> line.stripTrailing().replaceAll("(?<=\\S) +", " "))
        .containsExactly(
            "COLUMN TYPE NULL DEFAULT COMMENT",
            "id BIGINT no",
            "dt STRING yes none",
            "r ROW yes",
            "  r.x INT no",
            "  r.l ARRAY<ROW NOT NULL> yes",
            "  r.l.element.y STRING yes",
            "  r.m MAP<STRING, INT> yes");
  }

  @Test
  void factsSayPartitionsAndTheirBuckets() {
    PartitionDescription one = new PartitionDescription(9, List.of("a"), "dt=a", 0);
    assertThat(TableText.facts(table(List.of(one), 2)).lines())
        .extracting(line -> line.strip().replaceAll(" +", " "))
        .containsExactly(
            "partitioned by dt",
            "partitions 1",
            "bucket key id",
            "buckets 2 in each partition",
            "replicas 1",
            "table.log.ttl 3d");
    assertThat(TableText.partitions(table(List.of(one), 2)).lines())
        .containsExactly(
            "PARTITION  ID  BUCKETS  LEADERS", "dt=a        9        2  1 at 127.0.0.1:9223");
  }

  @Test
  void onlyTheLastPartitionsAreShown() {
    List<PartitionDescription> many = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      many.add(new PartitionDescription(i + 1, List.of("p" + i), "dt=p" + i, 0));
    }
    assertThat(TableText.partitions(table(many, 1)).lines())
        .hasSize(TableText.MOST_LINES + 1)
        .last()
        .asString()
        .startsWith("dt=p99");
  }
}
