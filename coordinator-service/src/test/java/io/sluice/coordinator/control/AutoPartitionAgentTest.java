package io.sluice.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.MovedClock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AutoPartitionAgentTest {
  private static final Duration DAY = Duration.ofDays(1);
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(32), true),
              Column.of(2, "dt", new DataType.StringType(), true),
              Column.of(3, "region", new DataType.StringType(), true)),
          List.of());

  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final MovedClock clock =
      new MovedClock(Instant.parse("2024-03-25T18:14:59Z").toEpochMilli());
  private final Catalog catalog = new Catalog(log, clock, 1);
  private final AutoPartitionAgent agent =
      new AutoPartitionAgent(log, clock, Duration.ofSeconds(1));

  @BeforeEach
  void lead() {
    log.submit(Fixtures.register(1, "i"));
    agent.leading();
  }

  @Test
  void createsAheadAndDropsWhatIsPastItsRetention() {
    create("t", List.of("dt"), Map.of("num-retention", "2"));
    assertThat(values("t")).containsExactly("20240325", "20240326");
    for (int day = 0; day < 3; day++) {
      clock.advanceMs(DAY.toMillis());
      work();
    }
    assertThat(values("t")).containsExactly("20240326", "20240327", "20240328", "20240329");
    assertThat(agent.created()).isEqualTo(3);
    assertThat(agent.dropped()).isEqualTo(1);
  }

  /** Field report B10: "today" is that of the table's time zone, 5:45 ahead of UTC. */
  @Test
  void theDayChangesAtMidnightOfTheTable() {
    create("t", List.of("dt"), Map.of("time-zone", "Asia/Kathmandu", "num-retention", "0"));
    create("utc", List.of("dt"), Map.of("num-retention", "0"));
    assertThat(values("t")).containsExactly("20240325", "20240326");
    clock.advanceMs(1_000);
    work();
    assertThat(values("t")).containsExactly("20240326", "20240327");
    assertThat(values("utc")).containsExactly("20240325", "20240326");
  }

  /** Field report B10: nothing of a dropped table remains or comes back. */
  @Test
  void tablesThatComeAndGoWhileItRunsLeaveNothing() {
    for (int i = 0; i < 20; i++) {
      Table table = create("t", List.of("dt"), Map.of("time-zone", "Asia/Kathmandu"));
      clock.advanceMs(1_000);
      if (i % 2 == 0) {
        work();
      }
      catalog.dropTable(table.path(), false).join();
      if (i % 3 == 0) {
        work();
      }
    }
    work();
    assertThat(log.current().state().tables().size()).isZero();
    assertThat(agent.failed()).isZero();
    long ids = log.current().state().nextPartitionId();
    clock.advanceMs(10_000);
    work();
    assertThat(log.current().state().nextPartitionId()).isEqualTo(ids);
  }

  @Test
  void whatWasPlannedForADroppedTableDoesNothingToItsSuccessor() {
    Table first = create("t", List.of("dt"), Map.of());
    Command late =
        PartitionRules.plan(
            first, List.of("20240401"), Placement.of(log.current().state()), clock.epochMs());
    catalog.dropTable(first.path(), false).join();
    Table second = create("t", List.of("dt"), Map.of());
    assertThat(log.submit(late).join().outcome().toString()).contains("TABLE_NOT_FOUND");
    assertThat(
            log.submit(new Command.DropPartition(second.tableId(), 1)).join().outcome().toString())
        .contains("PARTITION_NOT_FOUND");
    assertThat(values("t")).containsExactly("20240325", "20240326");
  }

  @Test
  void looksOnlyOnceInAnIntervalAndOnlyWhileItLeads() {
    create("t", List.of("dt"), Map.of());
    work();
    clock.jumpTo(clock.epochMs() + DAY.toMillis());
    work();
    assertThat(values("t")).hasSize(2);
    agent.following();
    clock.advanceMs(1_000);
    work();
    assertThat(values("t")).hasSize(2);
    agent.leading();
    work();
    assertThat(values("t")).hasSize(3);
  }

  @Test
  void anUnavailableLogIsTriedAgain() {
    create("t", List.of("dt"), Map.of());
    clock.advanceMs(DAY.toMillis());
    log.setAvailable(false);
    work();
    assertThat(agent.failed()).isEqualTo(1);
    log.setAvailable(true);
    work();
    assertThat(values("t")).as("not before the next look").hasSize(2);
    clock.advanceMs(1_000);
    work();
    assertThat(values("t")).hasSize(3);
  }

  @Test
  void whileTheLogIsUnavailableOneGroupIsTriedInAnInterval() {
    for (int i = 0; i < 70; i++) {
      create("t" + i, List.of("dt"), Map.of("num-precreate", "3"));
    }
    clock.advanceMs(3 * DAY.toMillis());
    log.setAvailable(false);
    work();
    assertThat(agent.failed()).isEqualTo(AutoPartitionAgent.GROUP);
    clock.advanceMs(1_000);
    log.setAvailable(true);
    work();
    assertThat(agent.created()).isEqualTo(210);
  }

  @Test
  void manyTablesAreDoneInGroupsWithinOneLook() {
    for (int i = 0; i < 70; i++) {
      create("t" + i, List.of("dt"), Map.of("num-precreate", "3", "num-retention", "0"));
    }
    clock.advanceMs(2 * DAY.toMillis());
    int passes = 0;
    while (true) {
      int before = log.commands().size();
      int done = agent.doWork();
      assertThat(log.commands().size() - before)
          .isLessThanOrEqualTo(AutoPartitionAgent.GROUP)
          .isEqualTo(done);
      if (done == 0) {
        break;
      }
      passes++;
    }
    assertThat(passes).isEqualTo(3);
    for (int i = 0; i < 70; i++) {
      assertThat(values("t" + i)).containsExactly("20240327", "20240328", "20240329");
    }
  }

  @Test
  void oneTableWithMoreToDoThanAGroupIsDoneToo() {
    create("t", List.of("dt"), Map.of("num-precreate", "300", "num-retention", "0"));
    clock.advanceMs(250 * DAY.toMillis());
    work();
    assertThat(values("t")).hasSize(300).first().isEqualTo("20241130");
  }

  @Test
  void aTableWithoutRoomOrServersHoldsUpNoOther() {
    create("full", List.of("dt"), Map.of("num-retention", "-1", "num-precreate", "500"));
    clock.advanceMs(499 * DAY.toMillis());
    work();
    create("t", List.of("dt"), Map.of());
    assertThat(values("full")).hasSize(999);
    clock.advanceMs(3 * DAY.toMillis());
    work();
    assertThat(values("full")).hasSize(1000);
    assertThat(values("t")).hasSize(4);
    log.submit(new Command.EndSession(1, "i"));
    clock.advanceMs(DAY.toMillis());
    work();
    assertThat(values("t")).hasSize(4);
    log.submit(Fixtures.register(1, "i"));
    clock.advanceMs(1_000);
    work();
    assertThat(values("t")).hasSize(5);
    assertThat(agent.failed()).isZero();
  }

  @Test
  void withSeveralPartitionColumnsOnlyDropsAreAutomatic() {
    create("t", List.of("region", "dt"), Map.of("key", "dt", "num-retention", "0"));
    TablePath path = new TablePath("demo", "t");
    catalog.createPartition(path, 0, List.of("EU", "20240325"), false).join();
    catalog.createPartition(path, 0, List.of("EU", "20240326"), false).join();
    clock.advanceMs(DAY.toMillis());
    work();
    assertThat(log.current().state().table(path).partitions())
        .singleElement()
        .satisfies(left -> assertThat(left.values()).containsExactly("EU", "20240326"));
  }

  private List<String> values(String table) {
    return log.current().state().table(new TablePath("demo", table)).partitions().stream()
        .map(partition -> partition.values().get(0))
        .toList();
  }

  private Table create(String name, List<String> keys, Map<String, String> auto) {
    Map<String, String> options = new HashMap<>();
    options.put("table.auto-partition.enabled", "true");
    auto.forEach((key, value) -> options.put("table.auto-partition." + key, value));
    return catalog
        .createTable(
            new TableDefinition(new TablePath("demo", name), SCHEMA, keys, options, ""), false)
        .join()
        .value();
  }

  private void work() {
    int passes = 0;
    while (agent.doWork() > 0) {
      assertThat(++passes).as("passes until nothing is left to do").isLessThan(20);
    }
  }
}
