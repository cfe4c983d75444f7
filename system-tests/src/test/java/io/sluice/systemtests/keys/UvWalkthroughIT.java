package io.sluice.systemtests.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.Table;
import io.sluice.client.UpsertWriter;
import io.sluice.format.row.Row;
import io.sluice.systemtests.lake.LakeCluster;
import io.sluice.systemtests.lake.SqlClient;
import io.sluice.systemtests.local.ScannedRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * The walkthrough of distinct users by bitmaps: a dictionary of ids, an aggregation table, twelve
 * page views and the tables that come of them, once in SQL and once in Java.
 */
final class UvWalkthroughIT {
  private static final String PAGE_VIEWS =
      """
      SELECT * FROM (
        VALUES
          ('user_1', 'app',          'Shanghai', '20260301', '10'),
          ('user_1', 'app',          'Shanghai', '20260301', '10'),
          ('user_2', 'app',          'Shanghai', '20260301', '10'),
          ('user_2', 'app',          'Shanghai', '20260301', '14'),
          ('user_3', 'app',          'Beijing',  '20260301', '10'),
          ('user_1', 'app',          'Beijing',  '20260301', '14'),
          ('user_3', 'web',          'Beijing',  '20260301', '10'),
          ('user_4', 'web',          'Shanghai', '20260301', '14'),
          ('user_2', 'app',          'Shanghai', '20260302', '09'),
          ('user_5', 'app',          'Beijing',  '20260302', '09'),
          ('user_4', 'mini_program', 'Beijing',  '20260302', '11'),
          ('user_1', 'mini_program', 'Shanghai', '20260302', '11')
      ) AS t(user_id, channel, city, ymd, hh)
      """;

  private static final List<String> DETAIL =
      List.of(
          "app Beijing 20260301 10 1 1",
          "app Beijing 20260301 14 1 1",
          "app Beijing 20260302 09 1 1",
          "app Shanghai 20260301 10 2 3",
          "app Shanghai 20260301 14 1 1",
          "app Shanghai 20260302 09 1 1",
          "mini_program Beijing 20260302 11 1 1",
          "mini_program Shanghai 20260302 11 1 1",
          "web Beijing 20260301 10 1 1",
          "web Shanghai 20260301 14 1 1");
  private static final List<String> BY_CHANNEL = List.of("app 4 8", "mini_program 2 2", "web 2 2");
  private static final List<String> BY_DATE = List.of("20260301 4 8", "20260302 4 4");
  private static final List<String> BY_CHANNEL_AND_DATE =
      List.of(
          "app 20260301 3 6", "app 20260302 2 2", "mini_program 20260302 2 2", "web 20260301 2 2");
  private static final List<String> GLOBAL = List.of("5 12");

  private static final SqlClient SQL = LakeCluster.shared().sql();

  @Test
  void sqlGivesTheTables() {
    createTables("uv_sql");
    SQL.run(
        "INSERT INTO uv_sql.uid_dictionary (user_id) WITH page_views AS ("
            + PAGE_VIEWS
            + ") SELECT DISTINCT user_id FROM page_views");
    SQL.run(
        "INSERT INTO uv_sql.uv_agg WITH page_views AS ("
            + PAGE_VIEWS
            + """
              )
              SELECT
                pv.channel,
                pv.city,
                pv.ymd,
                pv.hh,
                RB_BUILD(d.uid) AS uv_bitmap,
                CAST(1 AS BIGINT) AS pv
              FROM page_views AS pv
              JOIN uv_sql.uid_dictionary AS d ON pv.user_id = d.user_id
              """);
    checkSql("uv_sql");
  }

  /** Ids come of lookups that make missing rows; each page view carries a bitmap of one id. */
  @Test
  void javaGivesTheTables() {
    createTables("uv_java");
    try (Connection connection = LakeCluster.shared().connect()) {
      Table dictionary = connection.table("uv_java.uid_dictionary");
      Table views = connection.table("uv_java.uv_agg");
      Map<String, Integer> ids = new HashMap<>();
      try (Lookuper users = dictionary.lookuper("uid");
          UpsertWriter writer = views.upsertWriter()) {
        for (List<String> view : SQL.run(PAGE_VIEWS).rows()) {
          int id = users.findOrInsert(Key.of(view.get(0))).getInt(0);
          assertThat(ids.merge(view.get(0), id, (old, found) -> found)).isEqualTo(id);
          writer.upsert(
              Row.of(view.get(1), view.get(2), view.get(3), view.get(4), Bitmaps.of(id), 1L));
        }
      }
      assertThat(ids).hasSize(5);
      assertThat(ids.values()).doesNotHaveDuplicates().allMatch(id -> id > 0);
      assertThat(rollUp(views, List.of(0, 1, 2, 3))).isEqualTo(DETAIL);
      assertThat(rollUp(views, List.of(0))).isEqualTo(BY_CHANNEL);
      assertThat(rollUp(views, List.of(2))).isEqualTo(BY_DATE);
      assertThat(rollUp(views, List.of(0, 2))).isEqualTo(BY_CHANNEL_AND_DATE);
      assertThat(rollUp(views, List.of())).isEqualTo(GLOBAL);
      assertThat(dictionary.count()).isEqualTo(5);
      assertThat(views.count()).isEqualTo(10);
    }
    checkSql("uv_java");
  }

  /** A city's day: the seed's key (channel, city, ymd, hh) with channel and city as its prefix. */
  @Test
  void prefixesFindTheHoursOfACity() {
    SQL.run("CREATE DATABASE IF NOT EXISTS uv_prefix");
    SQL.run(
        """
        CREATE TABLE uv_prefix.uv_agg (
            channel   STRING,
            city      STRING,
            ymd       STRING,
            hh        STRING,
            uv_bitmap BYTES,
            pv        BIGINT,
            PRIMARY KEY (channel, city, ymd, hh) NOT ENFORCED
        ) WITH (
            'bucket.key' = 'channel,city',
            'table.merge-engine'    = 'aggregation',
            'fields.uv_bitmap.agg' = 'rbm32',
            'fields.pv.agg'        = 'sum'
        )
        """);
    SQL.run(
        "INSERT INTO uv_prefix.uv_agg SELECT channel, city, ymd, hh,"
            + " RB_BUILD(CAST(substr(user_id, 6) AS INT)), 1 FROM ("
            + PAGE_VIEWS
            + ")");
    try (Connection connection = LakeCluster.shared().connect()) {
      Table views = connection.table("uv_prefix.uv_agg");
      try (var lookuper = views.prefixLookuper()) {
        assertThat(RowTexts.of(views, lookuper.find(Key.of("app", "Shanghai"))))
            .containsExactly(
                "app, Shanghai, 20260301, 10, [1, 2], 3",
                "app, Shanghai, 20260301, 14, [2], 1",
                "app, Shanghai, 20260302, 09, [2], 1");
      }
    }
  }

  private static void createTables(String database) {
    SQL.run("CREATE DATABASE IF NOT EXISTS " + database);
    SQL.run(
        """
        CREATE TABLE %s.uid_dictionary (
            user_id STRING,
            uid INT,
            PRIMARY KEY (user_id) NOT ENFORCED
        ) WITH (
          'auto-increment.fields' = 'uid'
        );
        """
            .formatted(database));
    SQL.run(
        """
        CREATE TABLE %s.uv_agg (
            channel   STRING,
            city      STRING,
            ymd       STRING,  -- format: YYYYMMDD
            hh        STRING,  -- format: HH (00-23)
            uv_bitmap BYTES,
            pv        BIGINT,
            PRIMARY KEY (channel, city, ymd, hh) NOT ENFORCED
        ) WITH (
            'table.merge-engine'    = 'aggregation',
            'fields.uv_bitmap.agg' = 'rbm32',
            'fields.pv.agg'        = 'sum'
        );
        """
            .formatted(database));
  }

  private static void checkSql(String database) {
    String from = " FROM " + database + ".uv_agg";
    String merged = "RB_CARDINALITY(RB_OR_AGG(uv_bitmap)) AS uv, SUM(pv) AS pv" + from;
    assertThat(
            table(
                "SELECT channel, city, ymd, hh, RB_CARDINALITY(uv_bitmap) AS uv, pv"
                    + from
                    + " ORDER BY channel, city, ymd, hh"))
        .isEqualTo(DETAIL);
    assertThat(table("SELECT channel, " + merged + " GROUP BY channel"))
        .hasSameElementsAs(BY_CHANNEL);
    assertThat(table("SELECT ymd, " + merged + " GROUP BY ymd")).hasSameElementsAs(BY_DATE);
    assertThat(table("SELECT channel, ymd, " + merged + " GROUP BY channel, ymd"))
        .hasSameElementsAs(BY_CHANNEL_AND_DATE);
    assertThat(table("SELECT " + merged)).isEqualTo(GLOBAL);
  }

  private static List<String> table(String sql) {
    return SQL.run(sql).rows().stream().map(row -> String.join(" ", row)).toList();
  }

  /** Rows merged by some of their columns, in order: these, the distinct users, the views. */
  private static List<String> rollUp(Table views, List<Integer> columns) {
    Map<String, Set<Long>> users = new TreeMap<>();
    Map<String, Long> counts = new TreeMap<>();
    Function<Row, String> name =
        row -> String.join(" ", columns.stream().map(row::getString).toList());
    ScannedRows.read(
        views.scan().current(),
        row -> {
          users
              .computeIfAbsent(name.apply(row), any -> new HashSet<>())
              .addAll(Bitmaps.numbers(row.getBytes(4)));
          return counts.merge(name.apply(row), row.getLong(5), Long::sum);
        });
    List<String> table = new ArrayList<>();
    users.forEach(
        (group, found) ->
            table.add((group + " " + found.size() + " " + counts.get(group)).strip()));
    return table;
  }
}
