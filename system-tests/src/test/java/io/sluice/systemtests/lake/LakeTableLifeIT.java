package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.Map;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Which tables may go into the lake, and what becomes of the lake's copy when they are dropped. */
final class LakeTableLifeIT {
  private static final String DATABASE = "life";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String WITH_LAKE =
      " WITH ('table.datalake.enabled' = 'true', 'table.datalake.freshness' = '1s',"
          + " 'bucket.num' = '1')";

  private final LakeCluster cluster = LakeCluster.shared();
  private final SqlClient sql = cluster.sql();
  private Connection connection;
  private Lake lake;

  @BeforeEach
  void connect() {
    connection = cluster.connect();
    connection.admin().createDatabase(DATABASE, true);
    lake = cluster.lake();
  }

  @AfterEach
  void disconnect() {
    lake.close();
    connection.close();
  }

  @Test
  void primaryKeyTableIsRefusedOnEverySurface() {
    TableSpec keyed =
        LakeTables.spec(connection, new TablePath(DATABASE, "keyed"))
            .requiredColumn("id", "INT")
            .primaryKey("id")
            .build();
    assertThatThrownBy(() -> connection.admin().createTable(keyed))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining("table.datalake.enabled")
        .hasMessageContaining("primary key");

    SqlClient.Answer bySql =
        sql.ask(
            "CREATE TABLE life.keyed (id INT NOT NULL, PRIMARY KEY (id) NOT ENFORCED)" + WITH_LAKE);
    assertThat(bySql.code()).as("%s", bySql).isEqualTo("UNSUPPORTED");
    assertThat(bySql.detail()).contains("table.datalake.enabled");

    Lake.Answer byRest =
        lake.post(
            "/api/v1/tables",
            JsonMapper.builder()
                .build()
                .writeValueAsString(
                    Map.of(
                        "database",
                        DATABASE,
                        "table",
                        "keyed",
                        "columns",
                        java.util.List.of(Map.of("name", "id", "type", "INT", "nullable", false)),
                        "primaryKey",
                        java.util.List.of("id"),
                        "options",
                        Map.of("table.datalake.enabled", "true"))));
    assertThat(byRest.status()).as("%s", byRest).isIn(404, 405, 501);
    assertThatThrownBy(() -> connection.admin().describe(new TablePath(DATABASE, "keyed")))
        .isInstanceOf(SluiceException.class);
  }

  @Test
  void optionsOutOfRangeAreRefused() {
    assertRefused("table.datalake.freshness", "999ms");
    assertRefused("table.datalake.freshness", "soon");
    assertRefused("table.datalake.enabled", "yes");
    assertRefused("table.datalake.format", "paimon");
  }

  private void assertRefused(String option, String value) {
    assertThatThrownBy(
            () ->
                connection
                    .admin()
                    .createTable(
                        LakeTables.spec(connection, new TablePath(DATABASE, "refused"))
                            .requiredColumn("id", "INT")
                            .option(option, value)
                            .build()))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining(option)
        .hasMessageContaining(value);
  }

  @Test
  void columnNamedLikeASystemColumnIsRefused() {
    for (String name : new String[] {LakeTable.BUCKET, LakeTable.OFFSET, LakeTable.TIMESTAMP}) {
      assertThatThrownBy(
              () ->
                  connection
                      .admin()
                      .createTable(
                          LakeTables.spec(connection, new TablePath(DATABASE, "refused"))
                              .requiredColumn(name, "INT")
                              .build()))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining(name);
    }
  }

  @Test
  void droppedTableLeavesItsCopyWhichThenIsFree() {
    TablePath path = new TablePath(DATABASE, "dropped");
    LakeTables.createPlain(connection, path, 2);
    LakeTables.appendPlain(connection, path, 0, 100);
    OnceInLake.settle(lake, connection, path);
    String series = "database=\"life\",table=\"dropped\"";
    Await.until(
        "there are metrics of the table",
        PATIENCE,
        () -> lake.coordinatorMetrics().contains(series));

    connection.admin().dropTable(path, false);

    Await.until(
        "the metrics of the table are gone",
        PATIENCE,
        () -> !lake.coordinatorMetrics().contains(series));
    assertThat(lake.table(path).rows().values().stream().mapToInt(rows -> rows.size()).sum())
        .isEqualTo(100);
    Await.until(
        "the queue does not list " + path, PATIENCE, () -> lake.get(queue(path)).status() == 404);
    Await.until(
        "the copy takes a change",
        PATIENCE,
        () -> {
          lake.table(path).iceberg().updateProperties().set("owner", "nobody").commit();
          return true;
        });
    lake.table(path).iceberg().updateSchema().addColumn("more", Types.LongType.get()).commit();
    assertThat(lake.catalog().dropTable(Lake.identifier(path), true)).isTrue();
    assertThatThrownBy(() -> lake.table(path)).isInstanceOf(NoSuchTableException.class);
  }

  @Test
  void createOverALeftoverNamesPurgeAndPurgeWorks() {
    TablePath path = new TablePath(DATABASE, "leftover");
    sql.run("CREATE TABLE life.leftover (id INT, text STRING)" + WITH_LAKE);
    LakeTables.appendPlain(connection, path, 0, 50);
    OnceInLake.settle(lake, connection, path);
    sql.run("DROP TABLE life.leftover");

    SqlClient.Answer refused = sql.ask("CREATE TABLE life.leftover (other BIGINT)" + WITH_LAKE);
    assertThat(refused.code()).as("%s", refused).isEqualTo("LAKE_TABLE_EXISTS");
    assertThat(refused.detail()).contains("PURGE");
    assertThat(lake.exists(path)).isTrue();

    sql.run("DROP TABLE IF EXISTS life.leftover PURGE");
    assertThat(lake.exists(path)).isFalse();

    sql.run("CREATE TABLE life.leftover (other BIGINT)" + WITH_LAKE);
    sql.run("INSERT INTO life.leftover VALUES (1), (2)");
    assertThat(OnceInLake.settle(lake, connection, path)).isEqualTo(2);
    sql.run("DROP TABLE life.leftover PURGE");
    assertThat(lake.exists(path)).isFalse();
  }

  /** A table of the same name with the lake enabled never gets into what another one left. */
  @Test
  void tableMadeAgainIsHeldBackFromTheLeftover() {
    TablePath path = new TablePath(DATABASE, "again");
    LakeTables.createPlain(connection, path, 1);
    LakeTables.appendPlain(connection, path, 0, 50);
    OnceInLake.settle(lake, connection, path);
    connection.admin().dropTable(path, false);
    LakeTables.createPlain(connection, path, 1);
    LakeTables.appendPlain(connection, path, 0, 10);
    Await.until(
        "the leftover is named as the reason",
        PATIENCE,
        () ->
            lake.queued(path).get("lastFailure").toString().contains("LAKE_TABLE_EXISTS")
                || lake.queued(path).get("lastFailure").toString().contains("PURGE"));
    assertThat(lake.table(path).rowCount()).isEqualTo(50);

    assertThat(lake.catalog().dropTable(Lake.identifier(path), true)).isTrue();
    // A table that is resumed is tried at once; the pause after a failure is long.
    assertThat(lake.post(queue(path) + "/pause", "").status()).isEqualTo(200);
    assertThat(lake.post(queue(path) + "/resume", "").status()).isEqualTo(200);
    assertThat(OnceInLake.settle(lake, connection, path)).isEqualTo(10);
  }

  @Test
  void pausedTableWaitsAndGoesOnWhenResumed() {
    TablePath path = new TablePath(DATABASE, "paused");
    LakeTables.createPlain(connection, path, 1);
    LakeTables.appendPlain(connection, path, 0, 10);
    OnceInLake.settle(lake, connection, path);
    Lake.Answer paused = lake.post(queue(path) + "/pause", "");
    assertThat(paused.status()).as("%s", paused).isEqualTo(200);
    assertThat(paused.body().get("hold").asString()).isEqualTo("paused");
    Await.until(
        "no round is running",
        PATIENCE,
        () -> !lake.queued(path).get("state").asString().equals("TIERING"));
    LakeTables.appendPlain(connection, path, 10, 20);
    long rounds = lake.table(path).checkChain();

    assertThat(lake.post(queue(path) + "/resume", "").status()).isEqualTo(200);
    assertThat(OnceInLake.settle(lake, connection, path)).isEqualTo(20);
    assertThat(lake.table(path).checkChain()).isGreaterThan((int) rounds);
  }

  /** Where the queue answers for a table. */
  private static String queue(TablePath path) {
    return "/api/v1/tiering/tables/" + path.database() + "/" + path.table();
  }
}
