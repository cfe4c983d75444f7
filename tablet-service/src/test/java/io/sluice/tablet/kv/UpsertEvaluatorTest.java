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
import io.sluice.format.batch.ChangeType;
import io.sluice.format.bucket.BucketFunction;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UpsertEvaluatorTest {
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

  @Test
  void insertsUpdatesAndDeletes() {
    assertThat(kv.put(put(1, "x", "y", 7))).containsExactly("+I[1, x, y, 7]");
    assertThat(kv.put(put(1, "x", null, 8))).containsExactly("-U[1, x, y, 7]", "+U[1, x, null, 8]");
    assertThat(kv.put(delete(1, null, null, null))).containsExactly("-D[1, x, null, 8]");
    assertThat(kv.put(delete(1, null, null, null))).isEmpty();
    assertThat(kv.put(put(1, "x", "y", 7))).containsExactly("+I[1, x, y, 7]");
  }

  @Test
  void oldRowIsFoundInTheStoreAndInWhatWaits() {
    kv.put(put(1, "x", null, 1), put(2, "x", null, 2));
    kv.tablet.advance(1);
    assertThat(kv.lookup(1)).isEqualTo("[1, x, null, 1]");
    assertThat(kv.lookup(2)).isNull();
    assertThat(kv.put(put(1, "n", null, 1), put(2, "n", null, 2), put(3, "n", null, 3)))
        .containsExactly(
            "-U[1, x, null, 1]",
            "+U[1, n, null, 1]",
            "-U[2, x, null, 2]",
            "+U[2, n, null, 2]",
            "+I[3, n, null, 3]");
  }

  @Test
  void aKeySeveralTimesInAPutIsTakenInOrder() {
    assertThat(
            kv.put(
                put(1, "a", null, null),
                put(1, "b", null, null),
                put(1, "b", null, null),
                delete(1, null, null, null),
                delete(1, null, null, null),
                put(1, "c", null, null)))
        .containsExactly(
            "+I[1, a, null, null]",
            "-U[1, a, null, null]",
            "+U[1, b, null, null]",
            "-D[1, b, null, null]",
            "+I[1, c, null, null]");
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.lookup(1)).isEqualTo("[1, c, null, null]");
    assertThat(kv.tablet.store().count()).isEqualTo(1);
  }

  @Test
  void putsThatChangeNothingLeaveNoRecord() {
    // B06: batches without records stopped readers; here there is nothing to append at all.
    List<KvFixture.Change> five = new ArrayList<>();
    for (int k = 1; k <= 5; k++) {
      five.add(put(k, "v" + k, null, k));
    }
    PutShape full = PutShape.full(SCHEMA);
    assertThat(kv.put(full, five)).hasSize(5);
    for (int i = 0; i < 10; i++) {
      if (i == 5) {
        kv.tablet.advance(kv.logEnd);
      }
      try (ChangelogPlan plan = kv.evaluate(full, five)) {
        assertThat(plan.isEmpty()).isTrue();
        plan.applied(kv.logEnd, 1);
      }
    }
    assertThat(kv.put(put(6, "v6", null, 6))).hasSize(1);
    assertThat(kv.logEnd).isEqualTo(6);
    assertThat(kv.log).hasSize(2);
    kv.crash();
    kv.replay();
    assertThat(kv.tablet.knownEnd()).isEqualTo(6);
    assertThat(kv.tablet.advance(6)).isEqualTo(6);
    assertThat(kv.tablet.store().count()).isEqualTo(6);
  }

  @Test
  void firstRowOfAPartialWriterHasNullInColumnsItDidNotName() {
    // B14.
    assertThat(kv.put(PutShape.partial(SCHEMA, List.of(1, 2)), put(1, "x")))
        .containsExactly("+I[1, x, null, null]");
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.lookup(1)).isEqualTo("[1, x, null, null]");
    assertThat(kv.put(PutShape.partial(SCHEMA, List.of(2, 1)), put("z", 2)))
        .containsExactly("+I[2, z, null, null]");
  }

  @Test
  void partialUpdateKeepsTheOtherColumns() {
    kv.put(put(1, "x", "y", 7));
    assertThat(kv.put(PutShape.partial(SCHEMA, List.of(4, 1)), put(8, 1)))
        .containsExactly("-U[1, x, y, 7]", "+U[1, x, y, 8]");
    assertThat(kv.put(PutShape.partial(SCHEMA, List.of(4, 1)), put(8, 1))).isEmpty();
    assertThat(kv.put(PutShape.partial(SCHEMA, List.of(1, 2)), put(1, null)))
        .containsExactly("-U[1, x, y, 8]", "+U[1, null, y, 8]");
  }

  @Test
  void partialDeleteLeavesNullsAndTheRow() {
    PutShape shape = PutShape.partial(SCHEMA, List.of(1, 2, 4));
    assertThat(kv.put(shape, delete(1, null, null))).isEmpty();
    kv.put(put(1, "x", "y", 7));
    assertThat(kv.put(shape, delete(1, "any", 3)))
        .containsExactly("-U[1, x, y, 7]", "+U[1, null, y, null]");
    assertThat(kv.put(shape, delete(1, null, null))).isEmpty();
    assertThat(kv.put(PutShape.partial(SCHEMA, List.of(1, 3)), delete(1, null)))
        .containsExactly("-U[1, null, y, null]", "+U[1, null, null, null]");
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.lookup(1)).isEqualTo("[1, null, null, null]");
  }

  @Test
  void notNullColumnOutsideTheTargetIsRefusedWhenTheWriterIsMade() {
    TableSchema strict = schema(1, column(1, "k", "INT", false), column(2, "a", "STRING", false));
    refused(ErrorCode.INVALID_ARGUMENT, "'a'", () -> PutShape.partial(strict, List.of(1)));
    refused(ErrorCode.INVALID_ARGUMENT, "key column", () -> PutShape.partial(strict, List.of(2)));
    refused(ErrorCode.INVALID_ARGUMENT, "twice", () -> PutShape.partial(strict, List.of(1, 1, 2)));
    refused(ErrorCode.COLUMN_NOT_FOUND, "9", () -> PutShape.partial(strict, List.of(1, 2, 9)));
    TableSchema keyless = new TableSchema(1, strict.columns(), List.of());
    refused(ErrorCode.INVALID_SCHEMA, "no primary key", () -> PutShape.full(keyless));
  }

  @Test
  void partialDeleteOfANotNullColumnIsRefused() {
    kv.schemas.add(schema(2, column(1, "k", "INT", false), column(2, "a", "STRING", false)));
    kv.put(put(1, "x"));
    PutShape shape = PutShape.partial(kv.schemas.current(), List.of(1, 2));
    refused(ErrorCode.INVALID_VALUE, "'a'", () -> kv.put(shape, delete(1, "x")));
  }

  @Test
  void badRowRefusesTheWholePutAndNamesItself() {
    kv.put(put(1, "x", null, 1));
    PutShape full = PutShape.full(SCHEMA);
    try (VectorSchemaRoot root =
        VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), kv.allocator)) {
      IntVector keys = (IntVector) root.getVector(0);
      keys.setSafe(0, 1);
      keys.setSafe(1, 2);
      keys.setNull(2);
      root.getFieldVectors().forEach(vector -> vector.setValueCount(3));
      root.setRowCount(3);
      refused(
          ErrorCode.INVALID_VALUE,
          "Row 2 of the put: Column 'k'",
          () -> kv.tablet.evaluate(full, root, ByteBuffer.allocate(0)));
      keys.setSafe(2, 5);
      byte[] types = {
        ChangeType.UPDATE_AFTER.code(), ChangeType.UPDATE_BEFORE.code(), ChangeType.DELETE.code()
      };
      refused(
          ErrorCode.INVALID_ARGUMENT,
          "Row 1 of the put: its change type is -U",
          () -> kv.tablet.evaluate(full, root, ByteBuffer.wrap(types)));
    }
    assertThat(kv.put(put(2, "n", null, 1))).containsExactly("+I[2, n, null, 1]");
    assertThat(kv.tablet.knownEnd()).isEqualTo(2);
  }

  @Test
  void rowOfAnotherBucketIsRefused() {
    int bucket = KvFixture.BUCKET.bucket();
    BucketFunction function = BucketFunction.of(SCHEMA, List.of("k"), 7);
    PutShape routed = PutShape.full(SCHEMA).routedBy(List.of("k"), 7);
    int here = 0;
    for (int k = 0; k < 100; k++) {
      KvFixture.Change change = put(k, "x", null, 1);
      if (function.bucket(change.row()) == bucket) {
        assertThat(kv.put(routed, change)).hasSize(1);
        here++;
      } else {
        refused(
            ErrorCode.INVALID_ARGUMENT,
            "Row 0 of the put: its key belongs to bucket " + function.bucket(change.row()),
            () -> kv.put(routed, change));
      }
    }
    assertThat(here).isBetween(5, 30);
  }

  @Test
  void planThatIsDroppedLeavesNoTrace() {
    try (ChangelogPlan plan = kv.evaluate(PutShape.full(SCHEMA), List.of(put(1, "x", "y", 1)))) {
      assertThat(plan.recordCount()).isEqualTo(1);
    }
    assertThat(kv.put(put(1, "z", null, 2))).containsExactly("+I[1, z, null, 2]");
  }

  @Test
  void planThatWasOvertakenIsRefused() {
    try (ChangelogPlan late = kv.evaluate(PutShape.full(SCHEMA), List.of(put(1, "x", "y", 1)))) {
      kv.put(put(1, "z", null, 2));
      refused(ErrorCode.INTERNAL, "changed between", () -> late.applied(kv.logEnd, 1));
    }
  }

  @Test
  void severalChangesOfAKeyInOnePutAreAppliedInOrder() {
    kv.put(put(1, "x", null, 1));
    try (ChangelogPlan plan =
        kv.evaluate(PutShape.full(SCHEMA), List.of(put(1, "y", null, 1), put(1, "z", null, 1)))) {
      assertThat(KvFixture.records(plan))
          .containsExactly(
              "-U[1, x, null, 1]", "+U[1, y, null, 1]", "-U[1, y, null, 1]", "+U[1, z, null, 1]");
      plan.applied(1, 50);
      assertThat(kv.tablet.knownEnd()).isEqualTo(5);
    }
    assertThat(kv.tablet.advance(3)).isEqualTo(3);
    assertThat(kv.lookup(1)).isEqualTo("[1, y, null, 1]");
    assertThat(kv.tablet.advance(5)).isEqualTo(5);
    assertThat(kv.lookup(1)).isEqualTo("[1, z, null, 1]");
  }

  @Test
  void putUnderAnOlderSchemaLeavesColumnsItDoesNotKnow() {
    PutShape old = PutShape.full(SCHEMA);
    kv.put(old, put(1, "x", "y", 7));
    kv.tablet.advance(kv.logEnd);
    kv.schemas.add(
        schema(
            2,
            column(1, "k", "INT", false),
            column(5, "e", "BIGINT", true),
            column(4, "c2", "BIGINT", true),
            column(2, "a", "STRING", true)));
    assertThat(kv.put(old, put(1, "x", "gone", 7))).isEmpty();
    assertThat(kv.put(put(1, 50L, 8L, "x")))
        .containsExactly("-U[1, null, 7, x]", "+U[1, 50, 8, x]");
    assertThat(kv.put(old, put(1, "new", "gone", 9), put(2, "two", null, null)))
        .containsExactly("-U[1, 50, 8, x]", "+U[1, 50, 9, new]", "+I[2, null, null, two]");
    assertThat(kv.put(old, delete(2, null, null, null))).containsExactly("-D[2, null, null, two]");
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.lookup(1)).isEqualTo("[1, 50, 9, new]");
  }

  @Test
  void putUnderASchemaWithAnotherKeyTypeIsRefused() {
    PutShape old = PutShape.full(SCHEMA);
    kv.schemas.add(schema(2, column(1, "k", "BIGINT", false)));
    refused(ErrorCode.SCHEMA_CHANGED, "'k'", () -> kv.put(old, put(1, "x", "y", 7)));
  }

  @Test
  void changelogAboveTheLimitIsRefusedAsAWhole() {
    String big = "x".repeat(1024 * 1024);
    List<KvFixture.Change> changes = new ArrayList<>();
    for (int k = 0; k < 20; k++) {
      changes.add(put(k, big, null, 1));
    }
    assertThat(kv.put(PutShape.full(SCHEMA), changes)).hasSize(20);
    kv.tablet.advance(kv.logEnd);
    changes.replaceAll(change -> put(change.row().getInt(0), big, null, 2));
    refused(ErrorCode.PUT_TOO_LARGE, "fewer rows", () -> kv.put(PutShape.full(SCHEMA), changes));
    assertThat(kv.put(PutShape.full(SCHEMA), changes.subList(0, 10))).hasSize(20);
  }

  @Test
  void tooManyWaitingChangesAreBackpressure() {
    kv.close();
    KvSettings small = new KvSettings(1 << 22, 1 << 21, 1 << 20, 32, 1, 60_000, 1_000);
    kv = new KvFixture(temp.resolve("small"), small);
    kv.put(put(1, "x".repeat(2_000), null, 1));
    refused(ErrorCode.BACKPRESSURE, "limit is 1000", () -> kv.put(put(2, "x", null, 1)));
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.put(put(2, "x", null, 1))).hasSize(1);
  }

  private static void refused(ErrorCode code, String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .hasMessageContaining(what);
  }
}
