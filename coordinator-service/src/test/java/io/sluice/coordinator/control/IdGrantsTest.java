package io.sluice.coordinator.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.FakeMetadataLog;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.SchemaChange;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.MovedClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IdGrantsTest {
  private static final TablePath PATH = new TablePath("demo", "users");

  private final FakeMetadataLog log = FakeMetadataLog.withDatabase();
  private final Catalog catalog = new Catalog(log, new MovedClock(5_000), 1);
  private final IdGrants ids = new IdGrants(log);

  @BeforeEach
  void register() {
    log.submit(Fixtures.register(1, "i"));
  }

  @Test
  void everyRangeFollowsTheOneBeforeWhicheverBucketAsks() {
    long id = create(64, Map.of("bucket.num", "2")).tableId();
    assertThat(grant(id, 0, 1, 128)).isEqualTo(new IdGrants.Range(1, 128));
    assertThat(grant(id, 1, 1, 128)).isEqualTo(new IdGrants.Range(129, 128));
    assertThat(grant(id, 0, 1, 1)).isEqualTo(new IdGrants.Range(257, 1));
    assertThat(log.current().state().table(id).idsGranted()).isEqualTo(257);
    assertThat(log.current().state().table(id).version()).isZero();
  }

  @Test
  void noMoreIsGivenAtOnceThanTheTableAllowsAndAtLeastOne() {
    long id = create(64, Map.of("table.auto-increment.cache-size", "50")).tableId();
    assertThat(grant(id, 0, 1, 51).count()).isEqualTo(50);
    assertThat(grant(id, 0, 1, Long.MAX_VALUE).count()).isEqualTo(50);
    assertThat(grant(id, 0, 1, 0)).isEqualTo(new IdGrants.Range(101, 1));
    assertThat(grant(id, 0, 1, -5).count()).isEqualTo(1);
  }

  @Test
  void onlyTheLeaderInItsEpochIsGivenIds() {
    long id = create(64, Map.of()).tableId();
    for (SluiceException refused :
        List.of(
            refused(new TableBucket(id, 0, 0), 2, 1),
            refused(new TableBucket(id, 0, 0), 1, 0),
            refused(new TableBucket(id, 0, 0), 1, 2),
            refused(new TableBucket(id, 0, 1), 1, 1),
            refused(new TableBucket(id, 7, 0), 1, 1))) {
      assertThat(refused.code()).isEqualTo(ErrorCode.NOT_LEADER);
      assertThat(refused).hasMessageContaining("of table demo.users in epoch");
    }
    // Another process of the same server leads in another epoch.
    log.submit(Fixtures.register(1, "j"));
    assertThat(refused(new TableBucket(id, 0, 0), 1, 1))
        .hasMessageContaining("server 1 does in epoch 2");
    assertThat(grant(id, 0, 2, 3)).isEqualTo(new IdGrants.Range(1, 3));
    log.submit(new Command.EndSession(1, "j"));
    assertThat(refused(new TableBucket(id, 0, 0), 1, 2).code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refused(new TableBucket(id, 0, 0), 0, 3).code()).isEqualTo(ErrorCode.NOT_LEADER);
  }

  @Test
  void theLastIdsOfTheTypeAreGivenThenNoneUntilItIsWidened() {
    long id = create(32, Map.of()).tableId();
    log.submit(new Command.GrantIds(id, 0, 0, 1, 1, Integer.MAX_VALUE - 2L, Integer.MAX_VALUE));
    assertThat(grant(id, 0, 1, 128)).isEqualTo(new IdGrants.Range(Integer.MAX_VALUE - 1L, 2));
    SluiceException refused = refused(new TableBucket(id, 0, 0), 1, 1);
    assertThat(refused.code()).isEqualTo(ErrorCode.IDS_EXHAUSTED);
    assertThat(refused)
        .hasMessage(
            "Table demo.users has given away every id that its auto-increment column can hold (1 to"
                + " 2147483647); widen the column to BIGINT, or make a new table");
    SchemaChange widen = new SchemaChange.ChangeType(List.of("uid"), new DataType.IntegerType(64));
    catalog.alterTable(PATH, 0, new TableAlteration(List.of(widen), Map.of(), null)).join();
    assertThat(grant(id, 0, 1, 128)).isEqualTo(new IdGrants.Range(1L + Integer.MAX_VALUE, 128));
  }

  @Test
  void theVeryLastIdOfABigintIsGivenOnce() {
    long id = create(64, Map.of()).tableId();
    log.submit(new Command.GrantIds(id, 0, 0, 1, 1, Long.MAX_VALUE - 1, Long.MAX_VALUE));
    assertThat(grant(id, 0, 1, 5)).isEqualTo(new IdGrants.Range(Long.MAX_VALUE, 1));
    assertThat(refused(new TableBucket(id, 0, 0), 1, 1).code()).isEqualTo(ErrorCode.IDS_EXHAUSTED);
  }

  @Test
  void tablesWithoutSuchAColumnAndMissingOnesHaveNone() {
    Table plain = catalog.createTable(definition(64, Map.of()), false).join().value();
    assertThat(refused(new TableBucket(plain.tableId(), 0, 0), 1, 1))
        .hasMessage("Table demo.users has no auto-increment column");
    assertThat(refused(new TableBucket(99, 0, 0), 1, 1).code())
        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    assertThat(
            catchThrowableOfType(
                IllegalArgumentException.class, () -> new Command.GrantIds(1, 0, -1, 1, 1, 1, 1)))
        .hasMessageContaining("bucket 0--1");
  }

  private Table create(int bits, Map<String, String> options) {
    Map<String, String> all = new HashMap<>(options);
    all.put("auto-increment.fields", "uid");
    return catalog.createTable(definition(bits, all), false).join().value();
  }

  private static TableDefinition definition(int bits, Map<String, String> options) {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                Column.of(1, "name", new DataType.StringType(), false),
                Column.of(2, "uid", new DataType.IntegerType(bits), true)),
            List.of("name"));
    return new TableDefinition(PATH, schema, options, "");
  }

  private IdGrants.Range grant(long tableId, int bucket, int epoch, long count) {
    return ids.grant(TableBucket.of(tableId, bucket), 1, epoch, count).join();
  }

  private SluiceException refused(TableBucket bucket, int server, int epoch) {
    CompletionException failure =
        catchThrowableOfType(
            CompletionException.class, () -> ids.grant(bucket, server, epoch, 1).join());
    return (SluiceException) failure.getCause();
  }
}
