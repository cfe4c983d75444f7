package io.sluice.bench.micro;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.RowRing;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.flight.FormatBatchSlicer;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.log.DiskLimits;
import io.sluice.tablet.log.LogConfig;
import io.sluice.tablet.replica.AppendCallback;
import io.sluice.tablet.replica.AppendRequest;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.IdGrants;
import io.sluice.tablet.replica.KvHost;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaRole;
import io.sluice.tablet.replica.ReplicaSet;
import io.sluice.tablet.replica.ReplicaUpdate;
import io.sluice.tablet.replica.TabletStorageConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * What a server does for upserts once they have arrived, without network and client: random upserts
 * of keyed rows into one bucket that holds a row for each key, in batches that were encoded before.
 * Prints rows a second and CPU seconds of the process, RocksDB's threads included, for a million.
 *
 * <p>Arguments: {@code keys=1000000 rows=1000000 batch=4000 windows=3 directory=... targets=1,2}
 * and options of the table, {@code table.changelog.image=wal} for example.
 */
public final class PutPath implements AutoCloseable {
  private static final long TABLE = 1;
  private static final long MIB = 1 << 20;
  private static final int IN_FLIGHT = 4;
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final RowRing ring = RowRing.of(BenchSchema.of("keyed"));
  private final BufferAllocator allocator = new RootAllocator();
  private final TableSchema schema = schema(ring.schema());
  private final TableSchema putSchema;
  private final List<Integer> targets;
  private final KvHost kv;
  private final ReplicaSet replicas;
  private final Semaphore free = new Semaphore(IN_FLIGHT);
  private final AtomicReference<@Nullable SluiceException> failure = new AtomicReference<>();
  private long next;

  private PutPath(Path directory, Map<String, String> options, List<Integer> targets) {
    this.targets = targets;
    this.putSchema =
        targets.isEmpty()
            ? schema
            : new TableSchema(
                1,
                targets.stream().map(id -> schema.columns().get(id - 1)).toList(),
                schema.primaryKey());
    KvSettings defaults = KvSettings.defaults();
    this.kv = KvHost.open(defaults, allocator, TimeSource.SYSTEM, IdGrants.NONE);
    this.replicas =
        ReplicaSet.open(
            new TabletStorageConfig(
                1,
                directory,
                LogConfig.DEFAULT,
                DiskLimits.DEFAULT,
                2,
                128 * MIB,
                2,
                512,
                1_000,
                10_000,
                10_000),
            TimeSource.SYSTEM,
            new FormatBatchSlicer(allocator),
            kv);
    HostedTable table =
        new HostedTable(
            TABLE, TablePath.parse("bench.keyed"), List.of(schema), 1, List.of("id"), options);
    ReplicaRole role = new ReplicaRole(TableBucket.of(TABLE, 0), 1, 1, List.of(1), List.of(1), 1);
    replicas.apply(new ReplicaUpdate.Image("bench", 1, List.of(table), List.of(role), List.of()));
  }

  private static TableSchema schema(BenchSchema bench) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < bench.size(); i++) {
      BenchSchema.BenchColumn column = bench.columns().get(i);
      columns.add(
          Column.of(i + 1, column.name(), DataTypeParser.parse(column.kind().name()), i > 0));
    }
    return new TableSchema(1, columns, List.of("id"));
  }

  /** Encodes batches of rows with these keys. */
  private List<EncodedBatch> encode(
      int rows, int batchRows, LongUnaryOperator keys, int[] columns) {
    List<EncodedBatch> batches = new ArrayList<>();
    byte[] types = new byte[batchRows];
    Arrays.fill(types, ChangeType.UPDATE_AFTER.code());
    TableSchema of = columns.length == schema.size() ? schema : putSchema;
    try (LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.defaults());
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(of), allocator)) {
      ColumnWriters writers = ColumnWriters.of(of, root, batchRows);
      for (int from = 0; from < rows; from += batchRows) {
        int count = Math.min(batchRows, rows - from);
        for (int i = 0; i < count; i++) {
          long key = keys.applyAsLong(from + i);
          long row = next++;
          for (int c = 0; c < columns.length; c++) {
            writers.setObject(c, ring.value(columns[c], key, row));
          }
          writers.endRow();
        }
        writers.finish();
        batches.add(encoder.encode(root, of, ByteBuffer.wrap(types, 0, count), BatchWriter.NONE));
        writers.reset();
      }
    }
    return batches;
  }

  private void put(List<EncodedBatch> batches, List<Integer> columnIds)
      throws InterruptedException {
    Replica replica = replicas.require(TableBucket.of(TABLE, 0));
    for (EncodedBatch batch : batches) {
      free.acquire();
      replica.append(
          new AppendRequest(batch.header(), batch.sections(), columnIds, -1, true), answer());
    }
    free.acquire(IN_FLIGHT);
    free.release(IN_FLIGHT);
    batches.forEach(EncodedBatch::close);
    SluiceException why = failure.get();
    if (why != null) {
      throw why;
    }
  }

  private AppendCallback answer() {
    return new AppendCallback() {
      @Override
      public void stored(long baseOffset, boolean duplicate, int leaderEpoch) {
        free.release();
      }

      @Override
      public void refused(SluiceException why) {
        failure.set(why);
        free.release();
      }
    };
  }

  private void awaitLeader() throws InterruptedException {
    while (true) {
      try {
        var unused = replicas.require(TableBucket.of(TABLE, 0)).requireLeader();
        return;
      } catch (SluiceException notYet) {
        Thread.sleep(10);
      }
    }
  }

  private void run(int keys, int rows, int batchRows, int windows) throws InterruptedException {
    awaitLeader();
    int[] all = ring.schema().allColumns();
    put(encode(keys, batchRows, key -> key, all), List.of());
    int[] written = targets.isEmpty() ? all : targets.stream().mapToInt(id -> id - 1).toArray();
    SplittableRandom random = new SplittableRandom(42);
    for (int window = 0; window < windows; window++) {
      List<EncodedBatch> batches = encode(rows, batchRows, any -> random.nextInt(keys), written);
      Map<String, Long> threads = threadTicks();
      long cpu = SYSTEM.getProcessCpuTime();
      long start = System.nanoTime();
      put(batches, targets);
      double seconds = (System.nanoTime() - start) / 1e9;
      double cpuSeconds = (SYSTEM.getProcessCpuTime() - cpu) / 1e9;
      System.out.printf(
          Locale.ROOT,
          "%,.0f rows/s, %.2f CPU s per million, log %,d bytes%n",
          rows / seconds,
          cpuSeconds * 1e6 / rows,
          replicas.diskUsedBytes());
      System.out.println("  by thread: " + perMillion(threads, threadTicks(), rows));
    }
  }

  /** CPU time of this process by thread name, in ticks of 10 ms; empty where there is no /proc. */
  private static Map<String, Long> threadTicks() {
    Map<String, Long> ticks = new TreeMap<>();
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      for (Path task : tasks.toList()) {
        String stat = Files.readString(task.resolve("stat"));
        int nameEnd = stat.lastIndexOf(')');
        String[] fields = stat.substring(nameEnd + 2).split(" ");
        String name = stat.substring(stat.indexOf('(') + 1, nameEnd);
        ticks.merge(name, Long.parseLong(fields[11]) + Long.parseLong(fields[12]), Long::sum);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("Threads are not told apart: " + e);
    }
    return ticks;
  }

  private static String perMillion(Map<String, Long> before, Map<String, Long> after, int rows) {
    StringBuilder text = new StringBuilder();
    after.forEach(
        (name, ticks) -> {
          double seconds = (ticks - before.getOrDefault(name, 0L)) / 100.0;
          if (seconds > 0.02) {
            text.append(String.format(Locale.ROOT, "%s %.2f  ", name.trim(), seconds * 1e6 / rows));
          }
        });
    return text.toString();
  }

  @Override
  public void close() {
    replicas.close();
    kv.close();
    allocator.close();
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, String> settings = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      settings.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    int keys = Integer.parseInt(taken(settings, "keys", "1000000"));
    int rows = Integer.parseInt(taken(settings, "rows", "1000000"));
    int batch = Integer.parseInt(taken(settings, "batch", "4000"));
    int windows = Integer.parseInt(taken(settings, "windows", "3"));
    String columns = taken(settings, "targets", "");
    List<Integer> targets = new ArrayList<>();
    for (String each : columns.isEmpty() ? new String[0] : columns.split(",")) {
      targets.add(Integer.valueOf(each));
    }
    Path directory = directory(taken(settings, "directory", ""));
    try (PutPath path = new PutPath(directory, settings, targets)) {
      path.run(keys, rows, batch, windows);
    }
  }

  private static String taken(Map<String, String> settings, String name, String otherwise) {
    String value = settings.remove(name);
    return value == null ? otherwise : value;
  }

  private static Path directory(String given) throws IOException {
    return given.isEmpty() ? Files.createTempDirectory("put-path") : Path.of(given);
  }
}
