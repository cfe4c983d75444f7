package io.sluice.lake.union;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.lake.sqlfakes.FakeCluster;
import io.sluice.lake.sqlfakes.FakeLake;
import io.sluice.lake.sqlfakes.FakeTable;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UnionPlannerTest {
  @TempDir Path directory;
  private FakeCluster cluster;
  private FakeLake lake;
  private UnionPlanner planner;

  @BeforeEach
  void open() {
    cluster = new FakeCluster();
    lake = new FakeLake(directory, cluster.calls());
    planner = new UnionPlanner(cluster, lake);
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private FakeTable logTable(boolean inLake) {
    TableSpec.Builder spec = TableSpec.of("demo.t").column("a", "INT").buckets(3);
    return cluster.create(
        inLake ? spec.option("table.datalake.enabled", " True ").build() : spec.build());
  }

  /** A bucket of the first table of a cluster. */
  private static TableBucket bucket(int number) {
    return TableBucket.of(1, number);
  }

  @Test
  void tailBeginsWhereTheSnapshotEnds() {
    FakeTable table = logTable(true);
    for (int i = 0; i < 5; i++) {
      table.append(0, i);
    }
    table.append(1, 7);
    lake.tier(table, Map.of(0, 3L, 1, 1L));
    TablePlan plan = planner.plan(table.description(), TableVariant.WHOLE, false);
    assertThat(plan.lake().rows()).isEqualTo(4);
    assertThat(plan.tail()).isEqualTo(Map.of(bucket(0), new TablePlan.Range(3, 5)));
    assertThat(plan.tailOffsets()).isEqualTo(2);
  }

  @Test
  void rowsThatArriveWhileTheLakeIsAskedAreInTheTail() {
    FakeTable table = logTable(true);
    table.append(0, 1);
    lake.tier(table, Map.of(0, 1L));
    lake.duringView =
        () -> {
          table.append(0, 2);
          table.append(2, 3);
        };
    TablePlan plan = planner.plan(table.description(), TableVariant.WHOLE, false);
    assertThat(plan.tail())
        .isEqualTo(
            Map.of(bucket(0), new TablePlan.Range(1, 2), bucket(2), new TablePlan.Range(0, 1)));
    assertThat(cluster.calls()).containsExactly("view 1", "offsets demo.t");
  }

  @Test
  void tableThatWasCreatedAnewMeanwhileIsNotReadAsTheOldOne() {
    FakeTable table = logTable(true);
    table.append(0, 1);
    lake.tier(table, Map.of(0, 1L));
    lake.duringView =
        () -> {
          cluster.dropTable(table.description().path(), false);
          logTable(true).append(0, 9);
        };
    assertThatThrownBy(() -> planner.plan(table.description(), TableVariant.WHOLE, false))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_CHANGED));
  }

  @Test
  void withoutSnapshotAndWithoutLakeTheWholeLogIsTheTail() {
    FakeTable table = logTable(true);
    table.append(1, 1);
    TablePlan plan = planner.plan(table.description(), TableVariant.WHOLE, false);
    assertThat(plan.tail()).isEqualTo(Map.of(bucket(1), new TablePlan.Range(0, 1)));
    cluster.dropTable(table.description().path(), false);
    FakeTable plain = logTable(false);
    plain.append(2, 1);
    cluster.calls().clear();
    assertThat(planner.plan(plain.description(), TableVariant.WHOLE, false).lake()).isNull();
    assertThat(cluster.calls()).containsExactly("offsets demo.t");
  }

  @Test
  void lakeThatDoesNotAnswerIsAnErrorUnlessPartIsAllowed() {
    FakeTable table = logTable(true);
    table.append(0, 1);
    lake.failure = new SluiceException(ErrorCode.UNAVAILABLE, "connection refused");
    assertThatThrownBy(() -> planner.plan(table.description(), TableVariant.WHOLE, false))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .hasMessageContaining("allow_partial=true")
        .hasMessageContaining("connection refused");
    TablePlan plan = planner.plan(table.description(), TableVariant.WHOLE, true);
    assertThat(plan.tail()).isEqualTo(Map.of(bucket(0), new TablePlan.Range(0, 1)));
    assertThat(plan.notices()).hasSize(1).first().asString().contains("Partial result");
    lake.failure = new SluiceException(ErrorCode.CORRUPT_STORAGE, "damaged");
    assertThatThrownBy(() -> planner.plan(table.description(), TableVariant.WHOLE, true))
        .hasMessageContaining("damaged");
  }

  @Test
  void keyedTablesAreReadAsTheyAreNow() {
    FakeTable table =
        cluster.create(TableSpec.of("demo.k").requiredColumn("id", "INT").primaryKey("id").build());
    table.change("+I", 1);
    TablePlan plan = planner.plan(table.description(), TableVariant.WHOLE, false);
    assertThat(plan.current()).isTrue();
    assertThat(plan.tail()).isEmpty();
    assertThat(planner.plan(table.description(), TableVariant.CHANGELOG, false).tail())
        .isEqualTo(Map.of(bucket(0), new TablePlan.Range(0, 1)));
  }

  @Test
  void viewsThatATableDoesNotHaveAreRefused() {
    FakeTable table = logTable(false);
    assertThatThrownBy(() -> planner.plan(table.description(), TableVariant.LAKE, false))
        .hasMessageContaining("does not go to the lake");
    assertThatThrownBy(() -> planner.plan(table.description(), TableVariant.CHANGELOG, false))
        .hasMessageContaining("only insertions");
  }
}
