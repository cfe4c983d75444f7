package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.RowScan;
import io.sluice.testkit.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * <em>state-is-fold</em>, <em>read-your-write</em> and <em>no-dup</em> through a whole replica:
 * upserts, deletes and partial updates of a named writer, repeated puts, orderly stops and crashes
 * (a copy of the directory as a killed process leaves it), against maps.
 */
final class KvReplicaRandomTest {
  private static final int MOST_COPIES = 100;
  private static final int ROWS_PER_SEED = 8_000;
  private static final int KEYS = 50;
  static final long TABLE = 7;
  private static final long WRITER = 5;

  static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "k", DataTypeParser.parse("INT"), false),
              Column.of(2, "a", DataTypeParser.parse("STRING"), true),
              Column.of(3, "c", DataTypeParser.parse("INT"), true)),
          List.of("k"));
  private static final RowCodec CODEC = RowCodec.of(SCHEMA);
  private static final KeyEncoder KEY = KeyEncoder.of(SCHEMA);

  @TempDir private Path temp;

  @Test
  void rowsAreWhatTheWriterPutWhateverHappensToTheServer() {
    Seeds.run(
        3,
        (seed, random) -> {
          try (Run run = new Run(temp.resolve("seed" + seed), random)) {
            run.run();
          }
        });
  }

  static ReplicaUpdate.Image image(int epoch) {
    HostedTable table =
        new HostedTable(
            TABLE, TablePath.parse("demo.keyed"), List.of(SCHEMA), 1, List.of("k"), Map.of());
    return new ReplicaUpdate.Image(
        TestTablet.CLUSTER,
        epoch,
        List.of(table),
        List.of(TestTablet.role(TableBucket.of(TABLE, 0), TestTablet.SERVER, epoch)),
        List.of());
  }

  private static final class Run implements AutoCloseable {
    private final Path root;
    private final SplittableRandom random;
    private final BufferAllocator allocator = new RootAllocator();
    private final LogBatchEncoder encoder =
        new LogBatchEncoder(allocator, CompressionSettings.defaults());
    private final TreeMap<Integer, @Nullable Object[]> model = new TreeMap<>();
    private Path directory;
    private TestTablet tablet;
    private int epoch = 1;
    private long sequence;
    private long logEnd;
    private int crashes;

    Run(Path root, SplittableRandom random) {
      this.root = root;
      this.random = random;
      this.directory = root.resolve("0");
      this.tablet = TestTablet.open(directory).apply(image(epoch));
    }

    void run() throws Exception {
      while (sequence < ROWS_PER_SEED) {
        int dice = random.nextInt(1_000);
        if (dice < 900) {
          put();
        } else if (dice < 970) {
          checkLookups();
        } else if (dice < 985) {
          checkRows();
        } else if (dice < 993) {
          replica().requireRows().store().flush();
        } else if (dice < 997) {
          crash();
        } else {
          restart();
        }
      }
      crash();
      checkRows();
      assertThat(crashes).isPositive();
    }

    private Replica replica() {
      return tablet.replica(TABLE);
    }

    private void put() throws Exception {
      boolean partial = random.nextInt(3) == 0;
      int count = 1 + random.nextInt(12);
      List<Row> rows = new ArrayList<>();
      ByteBuffer types = ByteBuffer.allocate(count);
      long before = logEnd;
      for (int i = 0; i < count; i++) {
        boolean delete = random.nextInt(4) == 0;
        types.put((delete ? ChangeType.DELETE : ChangeType.UPDATE_AFTER).code());
        int key = random.nextInt(KEYS);
        String text = random.nextInt(4) == 0 ? null : "v" + random.nextInt(3);
        Integer number = random.nextInt(4) == 0 ? null : random.nextInt(3);
        rows.add(partial ? Row.of(key, number) : Row.of(key, text, number));
        take(key, text, number, delete, partial);
      }
      // The sequences of a put that changes nothing take an offset.
      logEnd += logEnd == before ? 1 : 0;
      types.flip();
      Answer.Stored stored = send(rows, types, partial);
      assertThat(stored.duplicate()).isFalse();
      sequence += count;
      assertThat(replica().offsets().logEnd()).isEqualTo(logEnd);
      assertThat(replica().offsets().visible()).isEqualTo(logEnd);
      if (random.nextInt(20) == 0) {
        sequence -= count;
        assertThat(send(rows, types, partial).duplicate()).isTrue();
        sequence += count;
        assertThat(replica().offsets().logEnd()).isEqualTo(logEnd);
      }
    }

    private Answer.Stored send(List<Row> rows, ByteBuffer types, boolean partial) throws Exception {
      TableSchema shape =
          partial
              ? new TableSchema(
                  1, List.of(SCHEMA.columns().get(0), SCHEMA.columns().get(2)), List.of("k"))
              : SCHEMA;
      try (VectorSchemaRoot data =
          VectorSchemaRoot.create(ArrowSchemas.toArrow(shape), allocator)) {
        ColumnWriters writers = ColumnWriters.of(shape, data, rows.size());
        rows.forEach(writers::write);
        BatchWriter writer = new BatchWriter(WRITER, 0, sequence, rows.size());
        try (EncodedBatch batch =
            encoder.encode(writers.finish(), shape, types.duplicate(), writer)) {
          Answer answer = new Answer();
          List<Integer> targets = partial ? List.of(1, 3) : List.of();
          LogBatchHeader header = batch.header();
          replica()
              .append(
                  new AppendRequest(header, batch.sections(), targets, sequence - 1, true), answer);
          return answer.get();
        }
      }
    }

    private void take(
        int key, @Nullable String text, @Nullable Integer number, boolean delete, boolean partial) {
      Object[] old = model.get(key);
      if (delete && !partial) {
        logEnd += model.remove(key) == null ? 0 : 1;
        return;
      }
      if (delete && old == null) {
        return;
      }
      Object oldText = old == null ? null : old[1];
      Object[] after = {key, partial ? oldText : text, delete ? null : number};
      if (old == null) {
        logEnd++;
      } else if (!Arrays.equals(old, after)) {
        logEnd += 2;
      }
      model.put(key, after);
    }

    private void checkLookups() {
      List<byte[]> keys = new ArrayList<>();
      for (int key = 0; key < KEYS; key++) {
        keys.add(KEY.encode(Row.of(key, null, null)));
      }
      List<byte @Nullable []> found = replica().requireRows().multiGet(keys);
      for (int key = 0; key < KEYS; key++) {
        byte[] value = found.get(key);
        assertThat(value == null ? null : show(value)).isEqualTo(model.get(key));
      }
    }

    private void checkRows() {
      try (RowScan scan = replica().requireRows().scan()) {
        assertThat(scan.position().appliedOffset()).isEqualTo(logEnd);
        for (Object[] expected : model.values()) {
          assertThat(scan.next()).isTrue();
          assertThat(show(scan.value())).isEqualTo(expected);
        }
        assertThat(scan.next()).isFalse();
      }
    }

    private static Object[] show(byte[] value) {
      Row row = CODEC.decode(value);
      return new Object[] {
        row.getInt(0), row.isNull(1) ? null : row.getString(1), row.isNull(2) ? null : row.getInt(2)
      };
    }

    private void crash() throws Exception {
      crashes++;
      Path copy = copyAsOfOneMoment();
      tablet.close();
      directory = copy;
      reopen();
    }

    /**
     * What a kill leaves: all files as they were at one moment. The store's background work changes
     * them meanwhile, so a copy during which a file came, went or grew is thrown away.
     */
    private Path copyAsOfOneMoment() throws IOException {
      for (int attempt = 1; attempt <= MOST_COPIES; attempt++) {
        Path copy = root.resolve(crashes + "-" + attempt);
        try {
          Map<Path, Long> before = fileSizes();
          ReplicaSetTest.copy(directory, copy);
          if (fileSizes().equals(before)) {
            return copy;
          }
        } catch (NoSuchFileException | UncheckedIOException gone) {
          // A file was deleted under the copy; the next attempt sees a later moment.
          assertThat(attempt)
              .as("attempts to copy, the last ended by %s", gone)
              .isLessThan(MOST_COPIES);
        }
      }
      throw new AssertionError("The files of " + directory + " never stood still");
    }

    private Map<Path, Long> fileSizes() throws IOException {
      Map<Path, Long> sizes = new HashMap<>();
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.filter(Files::isRegularFile).toList()) {
          // RocksDB's own log lines are no state.
          if (!path.endsWith("LOG")) {
            sizes.put(path, Files.size(path));
          }
        }
      }
      return sizes;
    }

    private void restart() {
      tablet.close();
      reopen();
    }

    private void reopen() {
      tablet = TestTablet.open(directory).apply(image(++epoch));
      assertThat(tablet.set.offline()).isEmpty();
      assertThat(replica().offsets().visible()).isEqualTo(logEnd);
      assertThat(replica().writerSequence(WRITER, 0)).isEqualTo(sequence - 1);
      checkLookups();
    }

    @Override
    public void close() {
      tablet.close();
      encoder.close();
      allocator.close();
    }
  }
}
