package io.sluice.systemtests.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.LogScanner;
import io.sluice.client.Lookuper;
import io.sluice.client.PrefixLookuper;
import io.sluice.client.Table;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.format.row.Row;
import io.sluice.systemtests.lake.LakeCluster;
import io.sluice.systemtests.lake.SqlClient;
import io.sluice.systemtests.local.ScannedRows;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What people do with updatable tables: a wide table that several writers fill, a changelog that
 * says what became of each row, orders that find the visits before them by prefix lookups.
 */
final class SeedExamplesIT {
  private static final SqlClient SQL = LakeCluster.shared().sql();
  private static final String TODAY =
      LocalDate.now(ZoneOffset.UTC).format(DateTimeFormatter.BASIC_ISO_DATE);
  private static final String YESTERDAY =
      LocalDate.now(ZoneOffset.UTC).minusDays(1).format(DateTimeFormatter.BASIC_ISO_DATE);

  @BeforeAll
  static void createDatabase() {
    SQL.run("CREATE DATABASE IF NOT EXISTS seed");
  }

  @Test
  void writersOfAWideTableFillTheirOwnColumns() {
    SQL.run(
        """
        CREATE TABLE seed.shop_stat_wide (
            shop_id    BIGINT NOT NULL,
            stat_date  STRING NOT NULL,
            stat_hour  STRING NOT NULL,
            exp_cnt    BIGINT,  -- Exposure Count
            page_cnt   BIGINT,  -- Page View Count
            PRIMARY KEY (shop_id, stat_date, stat_hour) NOT ENFORCED
        ) WITH (
            'bucket.num' = '3',
            'bucket.key' = 'shop_id'
        );
        """);
    for (String log : List.of("exposure_log", "page_log")) {
      SQL.run(
          "CREATE TABLE seed."
              + log
              + " (shop_id BIGINT, stat_date STRING, stat_hour STRING, "
              + (log.equals("page_log") ? "page_cnt" : "exp_cnt")
              + " BIGINT)");
    }
    SQL.run(
        "INSERT INTO seed.exposure_log VALUES (1, 'd1', '10', 3), (1, 'd1', '10', 4),"
            + " (2, 'd1', '11', 5)");
    SQL.run("INSERT INTO seed.page_log VALUES (1, 'd1', '10', 2), (3, 'd1', '10', 1)");
    for (int again = 0; again < 2; again++) {
      SQL.run(
          """
          INSERT INTO seed.shop_stat_wide (shop_id, stat_date, stat_hour, exp_cnt)
          SELECT
              shop_id,
              stat_date,
              stat_hour,
              SUM(exp_cnt) AS exp_cnt
          FROM seed.exposure_log
          GROUP BY shop_id, stat_date, stat_hour;
          """);
      SQL.run(
          """
          INSERT INTO seed.shop_stat_wide (shop_id, stat_date, stat_hour, page_cnt)
          SELECT
              shop_id,
              stat_date,
              stat_hour,
              SUM(page_cnt) AS page_cnt
          FROM seed.page_log
          GROUP BY shop_id, stat_date, stat_hour;
          """);
    }
    try (Connection connection = LakeCluster.shared().connect()) {
      Table wide = connection.table("seed.shop_stat_wide");
      assertThat(RowTexts.current(wide))
          .containsExactly("1, d1, 10, 7, 2", "2, d1, 11, 5, null", "3, d1, 10, null, 1");
      // The second time nothing was new.
      assertThat(RowTexts.changes(wide)).hasSize(5);
      // A metric that comes later is a column that is added, and a writer of its own.
      SQL.run("ALTER TABLE seed.shop_stat_wide ADD order_cnt BIGINT");
      Table wider = connection.table("seed.shop_stat_wide");
      try (UpsertWriter orders =
          wider.upsertWriter(
              WriterOptions.defaults().partial("shop_id", "stat_date", "stat_hour", "order_cnt"))) {
        orders.upsert(Row.of(1L, "d1", "10", 1L));
      }
      assertThat(RowTexts.current(wider))
          .containsExactly(
              "1, d1, 10, 7, 2, 1", "2, d1, 11, 5, null, null", "3, d1, 10, null, 1, null");
    }
  }

  @Test
  void theChangelogSaysWhatBecameOfEachRow() {
    SQL.run(
        "CREATE TABLE seed.customers (id INT, city STRING, PRIMARY KEY (id) NOT ENFORCED)"
            + " WITH ('bucket.num' = '1')");
    SQL.run("INSERT INTO seed.customers VALUES (123, 'Berlin')");
    try (Connection connection = LakeCluster.shared().connect()) {
      Table customers = connection.table("seed.customers");
      List<String> followed = new ArrayList<>();
      try (LogScanner follower = customers.scan().withChangeType().follow().open()) {
        SQL.run("INSERT INTO seed.customers VALUES (123, 'Munich')");
        SQL.run("INSERT INTO seed.customers VALUES (123, 'Munich'), (7, 'Rome')");
        SQL.run("DELETE FROM seed.customers WHERE id = 123");
        ScannedRows.poll(
            follower,
            row -> followed.add(row.getString(2) + row.getInt(0) + row.getString(1)),
            () -> followed.size() >= 5);
      }
      assertThat(followed)
          .containsExactly("+I123Berlin", "-U123Berlin", "+U123Munich", "+I7Rome", "-D123Munich");
      // Which offsets they have depends on how the rows came together in puts.
      assertThat(
              SQL.run(
                      "SELECT _change_type, id, city FROM seed.customers$changelog"
                          + " WHERE id = 123 ORDER BY _log_offset")
                  .rows())
          .containsExactly(
              List.of("+I", "123", "Berlin"),
              List.of("-U", "123", "Berlin"),
              List.of("+U", "123", "Munich"),
              List.of("-D", "123", "Munich"));
      // Folded, the changelog is the table.
      assertThat(RowTexts.current(customers)).containsExactly("7, Rome");
      List<String> later = new ArrayList<>();
      try (LogScanner scanner =
          customers.scan().fromOffsets(Map.of(0, 3L)).withChangeType().open()) {
        ScannedRows.poll(scanner, row -> later.add(row.getString(2)), scanner::finished);
      }
      assertThat(later).containsExactly("+I", "-D");
    }
  }

  /**
   * Orders and visits meet in whatever order they come: each new row looks the other table up,
   * orders by the prefix (day, user) of their keys, and writes the pairs to the result.
   */
  @Test
  void ordersAreAttributedToVisitsByLookupsFromBothSides() {
    createAttributionTables();
    try (Connection connection = LakeCluster.shared().connect()) {
      Table orders = connection.table("seed.order_ri");
      Table visits = connection.table("seed.log_page_ri");
      Table result = connection.table("seed.log_page_ord_detail_ri");
      try (UpsertWriter order = orders.upsertWriter();
          UpsertWriter visit = visits.upsertWriter();
          UpsertWriter pair = result.upsertWriter();
          PrefixLookuper ordersOf = orders.prefixLookuper();
          Lookuper visitsOf = visits.lookuper()) {
        for (String[] event : EVENTS) {
          String user = event[1];
          String day = event[2];
          if (event[0].equals("visit")) {
            visit.upsert(Row.of(user, event[3], Long.parseLong(event[4]), day)).join();
          } else {
            order.upsert(Row.of(event[4], user, event[3], "9.90", day)).join();
          }
          for (Row page : visitsOf.find(Key.of(user, day)).stream().toList()) {
            for (Row bought : ordersOf.find(Key.of(day, user))) {
              boolean matched = bought.getString(2).compareTo(page.getString(1)) >= 0;
              pair.upsert(
                  Row.of(
                      user,
                      bought.getString(0),
                      page.getString(1),
                      bought.getString(2),
                      page.getLong(2),
                      bought.getString(3),
                      matched ? "1" : "0",
                      day));
            }
          }
          pair.flush();
        }
        assertThat(visitsOf.find(Key.of("ann", "20000101"))).isEmpty();
        assertThat(ordersOf.find(Key.of("20000101", "ann"))).isEmpty();
      }
      checkAttribution(result);
    }
  }

  // Kind, user, day, time, order id or page views.
  private static final List<String[]> EVENTS =
      List.of(
          new String[] {"order", "ann", TODAY, "10:05", "o1"},
          new String[] {"visit", "ann", TODAY, "10:00", "1"},
          new String[] {"visit", "bob", TODAY, "12:00", "4"},
          new String[] {"order", "bob", TODAY, "11:00", "o2"},
          new String[] {"visit", "ann", TODAY, "10:00", "2"},
          new String[] {"order", "ann", TODAY, "10:09", "o3"},
          new String[] {"order", "ann", YESTERDAY, "09:00", "o4"},
          new String[] {"order", "eve", TODAY, "08:00", "o5"});

  private static void checkAttribution(Table result) {
    String attributed =
        "SELECT user_id, order_id, pv, is_matched FROM seed.log_page_ord_detail_ri"
            + " ORDER BY user_id, order_id";
    List<List<String>> expected =
        List.of(
            List.of("ann", "o1", "2", "1"),
            List.of("ann", "o3", "2", "1"),
            List.of("bob", "o2", "4", "0"));
    assertThat(SQL.run(attributed).rows()).isEqualTo(expected);
    assertThat(result.count()).isEqualTo(3);
    // The join that the lookups stand for says the same.
    assertThat(
            SQL.run(
                    """
                    SELECT
                        l.user_id,
                        o.order_id,
                        l.pv,
                        CASE WHEN o.order_time >= l.first_page_time THEN '1' ELSE '0' END
                            AS is_matched
                    FROM `seed`.`log_page_ri` l
                        LEFT JOIN `seed`.`order_ri` o
                            ON l.user_id = o.user_id AND l.ds = o.ds
                    ORDER BY 1, 2
                    """)
                .rows())
        .isEqualTo(expected);
  }

  /**
   * The seed's definitions without its catalog, and without the lake, which takes no such table.
   */
  private static void createAttributionTables() {
    SQL.run(
        """
        CREATE TABLE `seed`.`order_ri` (
            order_id STRING,
            user_id STRING,
            order_time STRING,
            pay_amt STRING,
            ds STRING,
            PRIMARY KEY (user_id, ds, order_id) NOT ENFORCED
        ) PARTITIONED BY (ds)
        WITH (
            'bucket.key' = 'user_id',
            'bucket.num' = '2',
            'table.auto-partition.enabled' = 'true',
            'table.auto-partition.key' = 'ds'
        );
        """);
    SQL.run(
        """
        CREATE TABLE `seed`.`log_page_ri` (
            user_id STRING,
            first_page_time STRING,
            pv BIGINT,
            ds STRING,
            PRIMARY KEY (user_id, ds) NOT ENFORCED
        ) PARTITIONED BY (ds)
        WITH (
            'bucket.key' = 'user_id',
            'bucket.num' = '2',
            'table.auto-partition.enabled' = 'true',
            'table.auto-partition.key' = 'ds'
        );
        """);
    SQL.run(
        """
        CREATE TABLE `seed`.`log_page_ord_detail_ri`
        (
            `user_id`       STRING COMMENT 'User ID',
            `order_id`      STRING COMMENT 'Order ID',
            `first_page_time` STRING COMMENT 'First Visit Time',
            `order_time`    STRING COMMENT 'Order Placement Time',
            `pv`            BIGINT COMMENT 'Page Views (Visit Count)',
            `pay_amt`       STRING COMMENT 'Payment Amount',
            `is_matched`    STRING COMMENT 'Match Status',
            `ds`            STRING COMMENT 'Date Partition',
           PRIMARY KEY (user_id, order_id, ds) NOT ENFORCED
        )
        COMMENT 'Attribution Result Table'
        PARTITIONED BY (ds)
        WITH (
            'bucket.key' = 'user_id,order_id',
            'bucket.num' = '2',
            'table.auto-partition.enabled' = 'true',
            'table.auto-partition.key' = 'ds'
        );
        """);
  }
}
