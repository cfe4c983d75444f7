package io.sluice.tablet.kv;

import static io.sluice.tablet.kv.KvFixture.Change.delete;
import static io.sluice.tablet.kv.KvFixture.Change.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.tablet.kv.KvFixture.StoredBatch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChangelogApplierTest {
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
  void replayGivesTheSameBytesAsTheLeader() {
    kv.put(put(1, "x", "y", 7), put(2, "b", null, null));
    kv.put(put(1, null, "z", 7), delete(2, null, null, null), put(3, "c", null, 1));
    kv.tablet.advance(kv.logEnd);
    List<String> leader = dump(kv.tablet.store());
    kv.crash();
    assertThat(kv.tablet.appliedOffset()).isZero();
    kv.replay();
    kv.tablet.advance(kv.logEnd);
    assertThat(dump(kv.tablet.store())).isEqualTo(leader).hasSize(2);
    assertThat(kv.tablet.store().position()).isEqualTo(new KvPosition(6, 2));
  }

  @Test
  void replayBeginsInsideABatch() {
    kv.put(put(1, "a", null, 1), put(1, "b", null, 2), put(2, "c", null, 3));
    kv.tablet.advance(2);
    kv.restart();
    assertThat(kv.tablet.knownEnd()).isEqualTo(2);
    kv.replay();
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.tablet.store().position()).isEqualTo(new KvPosition(4, 2));
    assertThat(kv.lookup(1)).isEqualTo("[1, b, null, 2]");
  }

  @Test
  void loadingTwiceChangesNothingAndAHoleMustBeSaid() {
    kv.put(put(1, "a", null, 1));
    kv.put(put(2, "a", null, 1));
    kv.crash();
    StoredBatch second = kv.log.get(1);
    assertFailure(
        ErrorCode.INTERNAL,
        "changes known end at 0",
        () -> load(second.header(), second.sections()));
    kv.tablet.skipTo(1);
    load(second.header(), second.sections());
    load(second.header(), second.sections());
    assertThat(kv.tablet.advance(9)).isEqualTo(2);
    assertThat(kv.tablet.store().count()).isEqualTo(1);
  }

  @Test
  void storeBehindTheStartOfTheLogCannotBeCompleted() {
    kv.put(put(1, "a", null, 1));
    kv.tablet.close();
    assertFailure(
        ErrorCode.CORRUPT_STORAGE,
        "the log begins at 5",
        () ->
            KvTablet.open(
                kv.resources,
                KvFixture.BUCKET,
                kv.directory,
                new KvContext(kv.schemas, kv.ids, kv.clock, kv.allocator),
                () -> {},
                5,
                9));
    assertThat(kv.resources.openStores()).isZero();
  }

  @Test
  void sectionsAreCutFromTheBytesAfterTheHeader() {
    kv.put(put(1, "a", null, 1));
    StoredBatch batch = kv.log.get(0);
    ByteBuffer bytes = ByteBuffer.allocateDirect(3 + batch.header().length());
    bytes.position(3);
    batch.sections().forEach(section -> bytes.put(section.duplicate()));
    bytes.position(3);
    kv.crash();
    load(batch.header(), ChangelogApplier.sections(batch.header(), bytes));
    kv.tablet.advance(1);
    assertThat(kv.lookup(1)).isEqualTo("[1, a, null, 1]");
  }

  @Test
  void anyFlippedByteIsDamageAndNothingIsTaken() {
    kv.put(put(1, "some text", null, 1), put(2, null, "other", 7), put(1, "more", null, 2));
    StoredBatch batch = kv.log.get(0);
    kv.crash();
    // Change types, statistics, metadata and checksums are under one checksum.
    for (int section = 0; section < 4; section++) {
      for (int at = 0; at < batch.sections().get(section).remaining(); at += 7) {
        assertDamaged(batch, section, at);
      }
    }
    assertDamaged(batch, 4, 0);
    load(batch.header(), batch.sections());
    kv.tablet.advance(kv.logEnd);
    assertThat(kv.tablet.store().count()).isEqualTo(2);
  }

  private void assertDamaged(StoredBatch batch, int section, int at) {
    List<ByteBuffer> sections = new ArrayList<>(batch.sections());
    ByteBuffer good = sections.get(section);
    ByteBuffer bad = ByteBuffer.allocateDirect(good.remaining()).order(good.order());
    bad.put(good.duplicate()).flip();
    bad.put(at, (byte) (bad.get(at) ^ 16));
    sections.set(section, bad);
    assertFailure(ErrorCode.CORRUPT_STORAGE, "offset 0", () -> load(batch.header(), sections));
    assertThat(kv.tablet.knownEnd()).isZero();
    assertThat(kv.tablet.waitingBytes()).isZero();
  }

  @Test
  void appendsAreNoChangelog() {
    try (VectorSchemaRoot root =
            VectorSchemaRoot.create(ArrowSchemas.toArrow(KvFixture.SCHEMA), kv.allocator);
        LogBatchEncoder encoder =
            new LogBatchEncoder(kv.allocator, CompressionSettings.of(BatchCodec.NONE))) {
      ColumnWriters writers = ColumnWriters.of(KvFixture.SCHEMA, root, 1);
      writers.write(Row.of(1, "a", "b", 2));
      writers.finish();
      try (EncodedBatch batch = encoder.encode(root, KvFixture.SCHEMA, BatchWriter.NONE)) {
        batch.header().stamp(0, 1, 1);
        assertThatThrownBy(() -> load(batch.header(), batch.sections()))
            .isInstanceOf(SluiceException.class);
      }
    }
    assertThat(kv.tablet.knownEnd()).isZero();
  }

  private void load(LogBatchHeader header, List<ByteBuffer> sections) {
    kv.tablet.load(header, sections);
  }

  static List<String> dump(KvStore store) {
    List<String> rows = new ArrayList<>();
    try (KvScan scan = store.scan()) {
      while (scan.next()) {
        rows.add(
            HexFormat.of().formatHex(scan.key()) + "=" + HexFormat.of().formatHex(scan.value()));
      }
    }
    return rows;
  }

  private static void assertFailure(ErrorCode code, String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .hasMessageContaining(what);
  }
}
