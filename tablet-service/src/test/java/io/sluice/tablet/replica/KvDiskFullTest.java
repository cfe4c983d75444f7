package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.common.ErrorCode;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Field case B19 for primary-key tables, on a small file system of its own that really fills up;
 * skipped where none may be mounted.
 */
final class KvDiskFullTest {
  private static final TableSchema SCHEMA = KvReplicaRandomTest.SCHEMA;
  private static final long TABLE = KvReplicaRandomTest.TABLE;
  private static final Duration RESUMED_WITHIN = Duration.ofSeconds(60);
  private static final int MIB = 1 << 20;
  private static final int VALUE = 50_000;
  private static final int BALLAST = 10 * MIB;
  private static final KvSettings SETTINGS =
      new KvSettings(16 * MIB, 8 * MIB, MIB, 32, 1, 60_000, 2 * MIB);

  @TempDir private Path temp;

  private final BufferAllocator allocator = new RootAllocator();
  private final LogBatchEncoder encoder =
      new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.NONE));
  private boolean mounted;
  private TestTablet tablet;

  @BeforeEach
  void mount() throws Exception {
    mounted = run("mount", "-t", "tmpfs", "-o", "size=28m", "tmpfs", temp.toString());
    assumeTrue(mounted, "A small file system cannot be mounted here");
    Files.write(temp.resolve("ballast"), new byte[BALLAST]);
    tablet = TestTablet.open(temp.resolve("home"), SETTINGS);
    tablet.diskUsed = 0.5;
    tablet.apply(KvReplicaRandomTest.image(1));
  }

  @AfterEach
  void unmount() throws Exception {
    if (tablet != null) {
      tablet.close();
    }
    encoder.close();
    allocator.close();
    if (mounted) {
      assertThat(run("umount", temp.toString())).isTrue();
    }
  }

  private static boolean run(String... command) throws Exception {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException noSuchProgram) {
      return false;
    }
    process.getInputStream().readAllBytes();
    return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  /** Puts one row whose bytes do not compress; null when it is stored and visible. */
  private ErrorCode put(int key) throws Exception {
    Answer answer = new Answer();
    StringBuilder text = new StringBuilder(VALUE);
    SplittableRandom random = new SplittableRandom(key);
    while (text.length() < VALUE) {
      text.append(Long.toString(random.nextLong(Long.MAX_VALUE), 36));
    }
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
      ColumnWriters writers = ColumnWriters.of(SCHEMA, root, 1);
      writers.write(Row.of(key, text.toString(), key));
      ByteBuffer upsert = ByteBuffer.wrap(new byte[] {ChangeType.UPDATE_AFTER.code()});
      try (EncodedBatch batch =
          encoder.encode(writers.finish(), SCHEMA, upsert, BatchWriter.NONE)) {
        tablet
            .replica(TABLE)
            .append(new AppendRequest(batch.header(), batch.sections(), -1, true), answer);
        Await.until(
            "answer to " + key,
            RESUMED_WITHIN,
            () -> {
              tablet.set.housekeeper().doWork();
              return answer.done();
            });
      }
    }
    try {
      answer.get();
      return null;
    } catch (ExecutionException refused) {
      return answer.refusal();
    }
  }

  private void assertRows(int from, int to) {
    KeyEncoder keys = KeyEncoder.of(SCHEMA);
    RowCodec codec = RowCodec.of(SCHEMA);
    for (int key = from; key < to; key++) {
      byte[] value = tablet.replica(TABLE).requireRows().get(keys.encode(Row.of(key, null, null)));
      assertThat(value).as("row %d", key).isNotNull();
      assertThat(codec.decode(value).getInt(2)).isEqualTo(key);
    }
  }

  @Test
  void writesResumeWithoutARestartOnceThereIsSpace() throws Exception {
    int stored = 0;
    ErrorCode refusal = null;
    while (refusal == null) {
      refusal = put(stored);
      if (refusal == null) {
        stored++;
      }
      assertThat(stored).as("the disk is full before").isLessThan(2_000);
    }
    assertThat(refusal.retriable()).isTrue();
    // It goes on being refused, and what was answered is there.
    for (int i = 0; i < 20; i++) {
      ErrorCode again = put(stored);
      if (again == null) {
        stored++;
      } else {
        assertThat(again.retriable()).as("%s", again).isTrue();
      }
    }
    assertRows(0, stored);
    assertThat(tablet.set.offline()).isEmpty();

    Files.delete(temp.resolve("ballast"));
    int first = stored;
    Await.until("a put is stored", RESUMED_WITHIN, () -> put(first) == null);
    Await.until(
        "the rows get to the disk",
        RESUMED_WITHIN,
        () -> {
          tablet.replica(TABLE).requireRows().store().flush();
          return true;
        });
    for (int key = first + 1; key < first + 20; key++) {
      int next = key;
      Await.until("put " + key, RESUMED_WITHIN, () -> put(next) == null);
    }
    assertRows(0, first + 20);
    assertThat(tablet.set.offline()).isEmpty();
    assertThat(tablet.kv.snapshotStats().restored()).isZero();
  }

  /** The rows must not be lost to a restart on a disk that is full. */
  @Test
  void rowsThatFindNoSpaceToOpenAreOpenedOnceThereIsSome() throws Exception {
    assertThat(put(0)).isNull();
    tablet.close();
    fill(temp.resolve("more-ballast"));
    tablet = TestTablet.open(temp.resolve("home"), SETTINGS);
    tablet.set.apply(KvReplicaRandomTest.image(2));
    Await.until("it has found no space", RESUMED_WITHIN, () -> tablet.set.disk().full());
    assertThat(tablet.set.offline()).isEmpty();
    Files.delete(temp.resolve("more-ballast"));
    Files.delete(temp.resolve("ballast"));
    tablet.awaitLeader(TableBucket.of(TABLE, 0), 2);
    assertRows(0, 1);
    tablet.set.housekeeper().doWork();
    assertThat(put(1)).isNull();
  }

  private static void fill(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(new byte[4096]);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }
}
