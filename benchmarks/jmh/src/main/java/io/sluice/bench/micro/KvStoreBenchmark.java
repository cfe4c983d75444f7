package io.sluice.bench.micro;

import io.sluice.common.TableBucket;
import io.sluice.common.TimeSource;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.IdSource;
import io.sluice.tablet.kv.KvContext;
import io.sluice.tablet.kv.KvResources;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.KvTablet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Lookups in the store of a bucket with rows of about 130 bytes, after as many were applied from
 * their changelog in random order: nanoseconds for one key.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before anything else
public class KvStoreBenchmark {
  private static final int TOGETHER = 64;
  private static final int ROWS_A_BATCH = 1_000;
  private static final long MIB = 1 << 20;
  // Odd, so that its multiples run through all keys.
  private static final long STRIDE = 7_919;
  private static final TableSchema SCHEMA =
      new TableSchema(
          1,
          List.of(
              column(1, "order_id", "BIGINT", false),
              column(2, "line", "INT", false),
              column(3, "amount", "DOUBLE", true),
              column(4, "customer", "STRING", true),
              column(5, "note", "STRING", true)),
          List.of("order_id", "line"));
  private static final int LINES = 10;

  /** Rows in the store. */
  @Param({"1000000"})
  private int rows;

  /** MiB of the block cache. */
  @Param({"256"})
  private int cache;

  private final SplittableRandom random = new SplittableRandom(1);
  private final KeyEncoder keys = KeyEncoder.of(SCHEMA);
  private BufferAllocator allocator;
  private KvResources resources;
  private KvTablet tablet;
  private KvStore store;
  private Path directory;

  private static Column column(int id, String name, String type, boolean nullable) {
    return Column.of(id, name, DataTypeParser.parse(type), nullable);
  }

  @Setup(Level.Trial)
  public void open() throws IOException {
    directory = Files.createTempDirectory("kv-store-benchmark");
    allocator = new RootAllocator();
    resources =
        KvResources.open(
            new KvSettings(cache * MIB, 64 * MIB, 16 * MIB, 256, 2, 600_000, 64 * MIB));
    KvSchemas schemas =
        new KvSchemas() {
          @Override
          public TableSchema current() {
            return SCHEMA;
          }

          @Override
          public TableSchema schema(int schemaId) {
            return SCHEMA;
          }
        };
    IdSource noIds =
        new IdSource() {
          @Override
          public boolean require(int count) {
            return false;
          }

          @Override
          public long next() {
            throw new IllegalStateException("No column of this table takes an id");
          }
        };
    tablet =
        KvTablet.open(
            resources,
            TableBucket.of(1, 0),
            directory.resolve("kv"),
            new KvContext(schemas, noIds, TimeSource.SYSTEM, allocator),
            () -> {},
            0,
            0);
    store = tablet.store();
    fill();
    store.flush();
  }

  private void fill() {
    try (LogBatchEncoder encoder =
        new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.NONE))) {
      for (int start = 0; start < rows; start += ROWS_A_BATCH) {
        try (VectorSchemaRoot root =
            VectorSchemaRoot.create(ArrowSchemas.toArrow(SCHEMA), allocator)) {
          ColumnWriters writers = ColumnWriters.of(SCHEMA, root, ROWS_A_BATCH);
          for (int i = start; i < start + ROWS_A_BATCH; i++) {
            writers.write(row((i * STRIDE) % rows));
          }
          byte[] inserts = new byte[ROWS_A_BATCH];
          Arrays.fill(inserts, ChangeType.INSERT.code());
          try (EncodedBatch batch =
              encoder.encode(
                  writers.finish(), SCHEMA, ByteBuffer.wrap(inserts), BatchWriter.NONE)) {
            LogBatchHeader header = batch.header();
            header.stamp(start, 1, 1_700_000_000_000L);
            tablet.load(header, batch.sections());
          }
        }
        while (tablet.advance(tablet.knownEnd()) < tablet.knownEnd()) {
          Thread.onSpinWait();
        }
      }
    }
  }

  private Row row(long number) {
    return Row.of(
        number / LINES,
        (int) (number % LINES),
        random.nextInt(100_000) / 100.0,
        "customer-" + random.nextInt(1_000_000),
        "a note on this line of the order " + random.nextLong() + random.nextLong());
  }

  private byte[] key(long number) {
    return keys.encode(Row.of(number / LINES, (int) (number % LINES), null, null, null));
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    tablet.discard();
    resources.close();
    allocator.close();
    try (Stream<Path> all = Files.walk(directory)) {
      all.sorted(Comparator.reverseOrder()).forEach(KvStoreBenchmark::delete);
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As lookups and the evaluation of puts read: many keys at once. */
  @Benchmark
  @OperationsPerInvocation(TOGETHER)
  public Object together() {
    List<byte[]> wanted = new ArrayList<>(TOGETHER);
    for (int i = 0; i < TOGETHER; i++) {
      wanted.add(key(random.nextLong(rows)));
    }
    return store.multiGet(wanted);
  }

  /** One key. */
  @Benchmark
  public Object alone() {
    return store.get(key(random.nextLong(rows)));
  }

  /** One key that has no row. */
  @Benchmark
  public Object missing() {
    return store.get(key(rows + random.nextLong(rows)));
  }

  /** The ten rows of one prefix: nanoseconds for the prefix. */
  @Benchmark
  public Object prefix() {
    byte[] key = key(random.nextLong(rows));
    return store.prefix(Arrays.copyOf(key, 9), 0);
  }
}
