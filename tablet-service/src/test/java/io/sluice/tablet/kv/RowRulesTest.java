package io.sluice.tablet.kv;

import static io.sluice.tablet.kv.KvFixture.Change.delete;
import static io.sluice.tablet.kv.KvFixture.Change.put;
import static io.sluice.tablet.kv.KvFixture.SCHEMA;
import static io.sluice.tablet.kv.KvFixture.column;
import static io.sluice.tablet.kv.KvFixture.schema;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the options of a table make of its puts. */
final class RowRulesTest {
  @TempDir private Path temp;
  private KvFixture kv;

  @BeforeEach
  void open() {
    kv = new KvFixture(temp.resolve("kv"));
  }

  @AfterEach
  void close() {
    kv.close();
  }

  private void options(String... keysAndValues) {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      options.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    kv.schemas.options(options);
  }

  /** Moves everything to the store and replays the log into another: both hold the same. */
  private void applyAndReplay() {
    kv.tablet.advance(kv.logEnd);
    long rows = kv.tablet.store().count();
    kv.crash();
    kv.replay();
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.tablet.store().count()).isEqualTo(rows);
  }

  private List<byte @Nullable []> prefix(byte[] prefix, int limit) {
    return kv.rows().prefixes(List.of(prefix), limit, 1 << 20).values();
  }

  @Test
  void theFirstRowStays() {
    options("table.merge-engine", "first_row");
    assertThat(kv.put(put(1, "x", null, 7), put(1, "y", null, 8)))
        .containsExactly("+I[1, x, null, 7]");
    assertThat(kv.put(put(1, "z", null, 9))).isEmpty();
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.put(put(1, "z", null, 9), put(2, "b", null, 1)))
        .containsExactly("+I[2, b, null, 1]");
    assertThat(kv.put(delete(1, null, null, null))).isEmpty();
    refused(
        ErrorCode.INVALID_ARGUMENT,
        "'first_row' takes whole rows only",
        () -> kv.put(PutShape.partial(SCHEMA, List.of(1, 2)), put(1, "x")));
  }

  @Test
  void putsOfAFirstRowTableThatChangeNothingLeaveNoRecord() {
    // B06 as it was found: five rows, the same ten times, another row.
    options("table.merge-engine", "first_row");
    KvFixture.Change[] five = new KvFixture.Change[5];
    for (int k = 1; k <= 5; k++) {
      five[k - 1] = put(k, "v" + k, null, k);
    }
    assertThat(kv.put(five)).hasSize(5);
    for (int i = 0; i < 10; i++) {
      assertThat(kv.put(five)).isEmpty();
    }
    assertThat(kv.put(put(6, "v6", null, 6))).hasSize(1);
    assertThat(kv.logEnd).isEqualTo(6);
    assertThat(kv.log).hasSize(2);
  }

  @Test
  void theNewestVersionWins() {
    options("table.merge-engine", "versioned", "table.merge-engine.versioned.ver-column", "c");
    assertThat(kv.put(put(1, "x", null, 7))).containsExactly("+I[1, x, null, 7]");
    assertThat(kv.put(put(1, "old", null, 6), put(1, "none", null, null))).isEmpty();
    assertThat(kv.put(put(1, "y", null, 7)))
        .containsExactly("-U[1, x, null, 7]", "+U[1, y, null, 7]");
    assertThat(kv.put(put(1, "y", null, 7))).isEmpty();
  }

  @Test
  void columnsAreAggregatedAndColumnsThatAreNotNamedAreLeftAlone() {
    options("table.merge-engine", "aggregation", "fields.c.agg", "sum", "fields.b.agg", "listagg");
    // B14 on an aggregation table.
    PutShape some = PutShape.partial(SCHEMA, List.of(1, 2));
    assertThat(kv.put(some, put(1, "x"))).containsExactly("+I[1, x, null, null]");
    assertThat(kv.put(put(1, null, "p", 5)))
        .containsExactly("-U[1, x, null, null]", "+U[1, x, p, 5]");
    assertThat(kv.put(put(1, "y", "q", 6), put(1, null, null, null)))
        .containsExactly("-U[1, x, p, 5]", "+U[1, y, p,q, 11]");
    assertThat(kv.put(some, put(1, "z"))).containsExactly("-U[1, y, p,q, 11]", "+U[1, z, p,q, 11]");
    assertThat(kv.put(delete(1, null, null, null))).isEmpty();
    applyAndReplay();
    assertThat(kv.lookup(1)).isEqualTo("[1, z, p,q, 11]");
  }

  @Test
  void anOverflowRefusesThePutAndNamesTheRow() {
    options("table.merge-engine", "aggregation", "fields.c.agg", "sum");
    kv.put(put(1, "x", null, Integer.MAX_VALUE));
    refused(
        ErrorCode.AGGREGATE_OVERFLOW,
        "Row 1 of the put: ",
        () -> kv.put(put(2, "y", null, 1), put(1, "y", null, 1)));
    assertThat(kv.put(put(2, "y", null, 1))).containsExactly("+I[2, y, null, 1]");
    assertThat(kv.put(put(1, "x", null, 0))).isEmpty();
  }

  @Test
  void anAggregationThatAllowsDeletesRemovesTheRow() {
    options(
        "table.merge-engine",
        "aggregation",
        "fields.c.agg",
        "sum",
        "table.delete.behavior",
        "allow");
    kv.put(put(1, "x", null, 5));
    assertThat(kv.put(delete(1, null, null, null), put(1, "y", null, 1)))
        .containsExactly("-D[1, x, null, 5]", "+I[1, y, null, 1]");
    assertThat(kv.put(PutShape.partial(SCHEMA, List.of(1, 4)), delete(1, null)))
        .containsExactly("-U[1, y, null, 1]", "+U[1, y, null, null]");
  }

  @Test
  void deletesAreIgnoredOrRefused() {
    options("table.delete.behavior", "ignore");
    kv.put(put(1, "x", "y", 7));
    assertThat(kv.put(delete(1, null, null, null), put(2, "b", null, 1))).hasSize(1);
    PutShape some = PutShape.partial(SCHEMA, List.of(1, 2));
    assertThat(kv.put(some, delete(1, null))).isEmpty();
    options("table.delete.behavior", "disable");
    refused(
        ErrorCode.DELETE_DISABLED,
        "Row 1 of the put: it deletes",
        () -> kv.put(put(3, "c", null, 1), delete(1, null, null, null)));
    refused(ErrorCode.DELETE_DISABLED, "Row 0", () -> kv.put(some, delete(9, null)));
    assertThat(kv.put(put(3, "c", null, 1))).containsExactly("+I[3, c, null, 1]");
  }

  @Test
  void withTheWalImageAWholeRowIsWrittenWithoutLookingForTheOldOne() {
    options("table.changelog.image", "wal");
    assertThat(kv.put(put(1, "x", null, 7), put(1, "x", null, 7)))
        .containsExactly("+U[1, x, null, 7]", "+U[1, x, null, 7]");
    assertThat(kv.put(delete(1, null, null, null), delete(2, null, null, null)))
        .containsExactly("-D[1, x, null, 7]");
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.put(put(3, "a", null, 1), delete(3, null, null, null), put(3, "b", null, 2)))
        .containsExactly("+U[3, a, null, 1]", "-D[3, a, null, 1]", "+U[3, b, null, 2]");
    assertThat(kv.put(put(3, "b", null, 2))).containsExactly("+U[3, b, null, 2]");
    applyAndReplay();
    assertThat(kv.lookup(3)).isEqualTo("[3, b, null, 2]");
    assertThat(kv.lookup(1)).isNull();
    assertThat(kv.tablet.store().count()).isEqualTo(KvPosition.UNKNOWN_ROWS);
    kv.restart();
    assertThat(kv.tablet.store().count()).isEqualTo(KvPosition.UNKNOWN_ROWS);
  }

  @Test
  void withTheWalImageAPartialPutReadsTheOldRowAndLeavesItOut() {
    options("table.changelog.image", "wal");
    PutShape some = PutShape.partial(SCHEMA, List.of(1, 4));
    assertThat(kv.put(some, put(1, 7))).containsExactly("+I[1, null, null, 7]");
    assertThat(kv.put(some, put(1, 7))).isEmpty();
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.tablet.store().count()).isEqualTo(1);
    assertThat(kv.put(some, put(1, 8))).containsExactly("+U[1, null, null, 8]");
    assertThat(kv.put(some, delete(1, 8))).containsExactly("+U[1, null, null, null]");
    applyAndReplay();
    assertThat(kv.lookup(1)).isEqualTo("[1, null, null, null]");
    assertThat(kv.tablet.store().count()).isEqualTo(KvPosition.UNKNOWN_ROWS);
  }

  @Test
  void withTheWalImageAPutUnderAnOlderSchemaReadsTheOldRow() {
    options("table.changelog.image", "wal");
    PutShape old = PutShape.full(SCHEMA);
    kv.schemas.add(
        schema(
            2,
            column(1, "k", "INT", false),
            column(2, "a", "STRING", true),
            column(3, "b", "STRING", true),
            column(4, "c", "INT", true),
            column(5, "d", "INT", true)));
    assertThat(kv.put(put(1, "x", "y", 7, 70))).containsExactly("+U[1, x, y, 7, 70]");
    assertThat(kv.put(old, put(1, "z", "y", 7))).containsExactly("+U[1, z, y, 7, 70]");
    assertThat(kv.put(old, put(1, "z", "y", 7))).isEmpty();
  }

  @Test
  void newRowsGetIdsAndKeepThem() {
    options("auto-increment.fields", "c");
    PutShape whole = PutShape.withoutIds(SCHEMA, List.of(1, 2, 3));
    assertThat(kv.put(whole, put(1, "x", null), put(2, "y", null), put(1, "z", null)))
        .containsExactly(
            "+I[1, x, null, 1]", "+I[2, y, null, 2]", "-U[1, x, null, 1]", "+U[1, z, null, 1]");
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.put(whole, put(2, "n", null)))
        .containsExactly("-U[2, y, null, 2]", "+U[2, n, null, 2]");
    assertThat(kv.put(whole, delete(2, null, null), put(2, "n", null)))
        .containsExactly("-D[2, n, null, 2]", "+I[2, n, null, 3]");
    PutShape some = PutShape.partial(SCHEMA, List.of(1, 3));
    assertThat(kv.put(some, put(3, "b"), put(1, "b")))
        .containsExactly("+I[3, null, b, 4]", "-U[1, z, null, 1]", "+U[1, z, b, 1]");
    applyAndReplay();
    assertThat(kv.lookup(2)).isEqualTo("[2, n, null, 3]");
    assertThat(kv.ids.last).isEqualTo(4);
  }

  @Test
  void partialPutsLeaveIdsOutThatMayNotBeNull() {
    options("auto-increment.fields", "c");
    kv.schemas.add(
        schema(
            2,
            column(1, "k", "INT", false),
            column(2, "a", "STRING", true),
            column(3, "b", "STRING", true),
            column(4, "c", "INT", false)));
    PutShape some = PutShape.partial(kv.schemas.current(), List.of(1, 3), 4);
    assertThat(kv.put(some, put(1, "x"), put(1, "y")))
        .containsExactly("+I[1, null, x, 1]", "-U[1, null, x, 1]", "+U[1, null, y, 1]");
    refused(
        ErrorCode.INVALID_ARGUMENT,
        "'c' must be a target column",
        () -> PutShape.partial(kv.schemas.current(), List.of(1, 3)));
  }

  @Test
  void aPutThatGivesIdsIsRefused() {
    options("auto-increment.fields", "c");
    refused(
        ErrorCode.INVALID_ARGUMENT,
        "'c' gets its values from the server (auto-increment.fields); leave it out",
        () -> kv.put(put(1, "x", null, 7)));
    refused(
        ErrorCode.INVALID_ARGUMENT,
        "leave it out",
        () -> kv.put(PutShape.partial(SCHEMA, List.of(1, 4)), put(1, 7)));
    assertThat(kv.ids.last).isZero();
  }

  @Test
  void idsThatTheColumnCannotHoldAreRefused() {
    options("auto-increment.fields", "c");
    kv.ids.last = Integer.MAX_VALUE;
    refused(
        ErrorCode.IDS_EXHAUSTED,
        "'c'",
        () -> kv.put(PutShape.withoutIds(SCHEMA, List.of(1, 2, 3)), put(1, "x", null)));
  }

  @Test
  void rowsOutliveTheirTimeOnlyForNobody() {
    options("table.kv.ttl", "10 s");
    kv.put(put(1, "x", null, 7), put(2, "x", null, 7), put(3, "x", null, 7));
    kv.tablet.advance(kv.logEnd);
    kv.clock.advanceMs(5_000);
    // The same row again does not renew its life.
    assertThat(kv.put(put(1, "x", null, 7))).isEmpty();
    kv.put(put(2, "y", null, 7));
    kv.tablet.advance(kv.logEnd);
    kv.clock.advanceMs(4_999);
    assertThat(kv.lookup(1)).isEqualTo("[1, x, null, 7]");
    kv.clock.advanceMs(1);
    assertThat(kv.lookup(1)).isNull();
    assertThat(kv.lookup(2)).isEqualTo("[2, y, null, 7]");
    assertThat(kv.rows().multiGet(List.of(KvFixture.key(1), KvFixture.key(2))).get(0)).isNull();
    assertThat(prefix(KvFixture.key(1), 1)).isEmpty();
    assertThat(prefix(new byte[] {1}, 1)).hasSize(1);
    assertThat(prefix(new byte[] {1}, 0)).hasSize(1);
    try (RowScan scan = kv.rows().scan()) {
      assertThat(scan.next()).isTrue();
      assertThat(kv.show(scan.value())).isEqualTo("[2, y, null, 7]");
      assertThat(scan.next()).isFalse();
    }
    assertThat(kv.rows().count()).isEqualTo(3);
    assertThat(kv.put(put(1, "x", null, 7)))
        .containsExactly("-D[1, x, null, 7]", "+I[1, x, null, 7]");
    assertThat(kv.put(PutShape.partial(SCHEMA, List.of(1, 2)), put(3, "n")))
        .containsExactly("-D[3, x, null, 7]", "+I[3, n, null, null]");
    applyAndReplay();
    assertThat(kv.lookup(1)).isEqualTo("[1, x, null, 7]");
    assertThat(kv.lookup(3)).isEqualTo("[3, n, null, null]");
    assertThat(kv.rows().count()).isEqualTo(3);
  }

  @Test
  void anExpiredRowIsNoFirstRow() {
    options("table.merge-engine", "first_row", "table.kv.ttl", "10 s");
    kv.put(put(1, "x", null, 7));
    kv.clock.advanceMs(10_000);
    assertThat(kv.put(put(1, "y", null, 8), put(1, "z", null, 9)))
        .containsExactly("-D[1, x, null, 7]", "+I[1, y, null, 8]");
  }

  @Test
  void deletesOfExpiredRowsRemoveThem() {
    options("table.kv.ttl", "10 s");
    kv.put(put(1, "x", null, 7), put(2, "x", null, 7));
    kv.clock.advanceMs(10_000);
    assertThat(kv.put(delete(1, null, null, null))).containsExactly("-D[1, x, null, 7]");
    assertThat(kv.put(PutShape.partial(SCHEMA, List.of(1, 2)), delete(2, null)))
        .containsExactly("-D[2, x, null, 7]");
  }

  @Test
  void theSweepRemovesOnlyWhatHasExpiredWhateverTheTableSaysOfDeletes() {
    options("table.kv.ttl", "10 s", "table.delete.behavior", "disable");
    kv.put(put(1, "x", null, 7), put(2, "x", null, 7), put(3, "x", null, 7));
    kv.clock.advanceMs(5_000);
    kv.put(put(2, "y", null, 7));
    kv.clock.advanceMs(5_000);
    List<byte[]> keys = List.of(KvFixture.key(1), KvFixture.key(2), KvFixture.key(3));
    try (ChangelogPlan plan = kv.tablet.removeExpired(keys)) {
      assertThat(KvFixture.records(plan)).containsExactly("-D[1, x, null, 7]", "-D[3, x, null, 7]");
      kv.append(plan, kv.clock.epochMs());
    }
    try (ChangelogPlan plan = kv.tablet.removeExpired(keys)) {
      assertThat(plan.isEmpty()).isTrue();
    }
    applyAndReplay();
    assertThat(kv.rows().count()).isEqualTo(1);
  }

  @Test
  void rowsAreMadeOfKeysThatHaveNone() {
    options("auto-increment.fields", "c", "table.kv.ttl", "10 s");
    PutShape whole = PutShape.withoutIds(SCHEMA, List.of(1, 2, 3));
    kv.put(whole, put(1, "x", null), put(2, "x", null));
    kv.clock.advanceMs(9_000);
    kv.put(whole, put(2, "y", null));
    kv.clock.advanceMs(1_000);
    List<byte[]> keys =
        List.of(KvFixture.key(1), KvFixture.key(2), KvFixture.key(3), KvFixture.key(3));
    try (ChangelogPlan plan = kv.tablet.insertMissing(keys)) {
      assertThat(KvFixture.records(plan))
          .containsExactly("-D[1, x, null, 1]", "+I[1, null, null, 3]", "+I[3, null, null, 4]");
      kv.append(plan, kv.clock.epochMs());
    }
    try (ChangelogPlan plan = kv.tablet.insertMissing(keys)) {
      assertThat(plan.isEmpty()).isTrue();
    }
    applyAndReplay();
    assertThat(kv.lookup(3)).isEqualTo("[3, null, null, 4]");
  }

  @Test
  void aRowThatCannotBeMadeOfItsKeyIsRefused() {
    kv.schemas.add(schema(2, column(1, "k", "INT", false), column(2, "a", "STRING", false)));
    refused(
        ErrorCode.INVALID_VALUE,
        "give the column a default",
        () -> kv.tablet.insertMissing(List.of(KvFixture.key(1))));
  }

  /** The changelog has values only: a replay would put the row under another key. */
  @Test
  void aRowIsNotMadeOfAKeyThatItsValuesDoNotHave() {
    kv.schemas.add(schema(2, column(1, "k", "FLOAT", false), column(2, "a", "STRING", true)));
    byte[] key = KeyEncoder.of(kv.schemas.current()).encode(Row.of(0f, null));
    // Of 0.0: 0x80000000; one less in the order is -0.0.
    byte[] other = {key[0], 0x7F, -1, -1, -1};
    refused(
        ErrorCode.INVALID_VALUE,
        "encoded otherwise",
        () -> kv.tablet.insertMissing(List.of(other)));
    try (ChangelogPlan plan = kv.tablet.insertMissing(List.of(key))) {
      assertThat(KvFixture.records(plan)).containsExactly("+I[0.0, null]");
    }
  }

  @Test
  void rulesFollowTheCurrentSchema() {
    options("table.merge-engine", "aggregation", "fields.c.agg", "sum");
    PutShape old = PutShape.full(SCHEMA);
    kv.put(put(1, "x", null, 5));
    kv.tablet.advance(kv.logEnd);
    kv.schemas.add(
        schema(
            2,
            column(5, "n", "INT", true),
            column(1, "k", "INT", false),
            column(4, "c", "BIGINT", true)));
    options("table.merge-engine", "aggregation", "fields.c.agg", "sum", "fields.n.agg", "max");
    assertThat(kv.put(old, put(1, "gone", null, 6)))
        .containsExactly("-U[null, 1, 5]", "+U[null, 1, 11]");
    assertThat(kv.put(put(3, 1, 1L), put(2, 1, 1L)))
        .containsExactly("-U[null, 1, 11]", "+U[3, 1, 12]", "-U[3, 1, 12]", "+U[3, 1, 13]");
  }

  private static void refused(ErrorCode code, String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .hasMessageContaining(what);
  }
}
