package io.sluice.tablet.kv;

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
import io.sluice.format.row.RowCodec;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** A bucket of a {@link ModelTable} with its log in memory and a clock of its own. */
final class ModelBucket implements AutoCloseable {
  private static final TableBucket BUCKET = new TableBucket(7, 0, 0);

  final ModelTable table;
  final TableSchema schema;
  private final KvRules rules;
  private final RowCodec codec;
  private final KeyEncoder keys;
  private final BufferAllocator allocator = new RootAllocator();
  private final KvResources resources;
  private final Path directory;
  private final LogBatchEncoder encoder =
      new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.LZ4));
  private final List<StoredBatch> log = new ArrayList<>();
  private KvTablet tablet;
  private long logEnd;
  long nowMs = 1_700_000_000_000L;
  long nextId = 1;

  private record StoredBatch(LogBatchHeader header, List<ByteBuffer> sections) {}

  ModelBucket(ModelTable table, Path directory) {
    this.table = table;
    this.schema = table.schema();
    this.rules = KvRules.of(schema, table.options());
    this.codec = RowCodec.of(schema);
    this.keys = KeyEncoder.of(schema);
    this.directory = directory;
    this.resources = KvResources.open(KvFixture.settings());
    this.tablet = open();
  }

  private KvTablet open() {
    KvContext context = new KvContext(new OneSchema(), new Ids(), new Clock(), allocator);
    return KvTablet.open(resources, BUCKET, directory, context, () -> {}, 0, logEnd);
  }

  KvTablet tablet() {
    return tablet;
  }

  private final class OneSchema implements KvSchemas {
    @Override
    public TableSchema current() {
      return schema;
    }

    @Override
    public TableSchema schema(int schemaId) {
      return schema;
    }

    @Override
    public KvRules rules() {
      return rules;
    }
  }

  private final class Ids implements IdSource {
    @Override
    public boolean require(int rows) {
      return true;
    }

    @Override
    public long next() {
      return nextId++;
    }
  }

  private final class Clock implements TimeSource {
    @Override
    public long epochMs() {
      return nowMs;
    }

    @Override
    public long nanoTime() {
      return nowMs * 1_000_000;
    }
  }

  /** Evaluates a put of rows of the shape; the caller owns the plan. */
  ChangelogPlan evaluate(PutShape shape, List<KvModel.Change> changes, int[] columns) {
    try (VectorSchemaRoot root =
        VectorSchemaRoot.create(ArrowSchemas.toArrow(shape.rows()), allocator)) {
      ColumnWriters writers = ColumnWriters.of(shape.rows(), root, changes.size());
      ByteBuffer types = ByteBuffer.allocate(changes.size());
      for (KvModel.Change change : changes) {
        Object[] values = new Object[columns.length];
        for (int i = 0; i < columns.length; i++) {
          values[i] = table.toRow(change.row()[columns[i]], columns[i]);
        }
        writers.write(Row.of(values));
        types.put((change.delete() ? ChangeType.DELETE : ChangeType.UPDATE_AFTER).code());
      }
      writers.finish();
      return tablet.evaluate(shape, root, types.flip());
    }
  }

  byte[] key(int key) {
    return keys.encode(Row.of(key, null, null, null, null, null));
  }

  List<byte[]> keys(List<Integer> wanted) {
    return wanted.stream().map(this::key).toList();
  }

  /** Stores the changelog and closes the plan; returns its records. */
  List<String> append(ChangelogPlan plan) {
    try (plan) {
      List<String> records = new ArrayList<>();
      VectorRow row = new VectorRow(plan.root());
      for (int i = 0; i < plan.recordCount(); i++) {
        String type = ChangeType.of(plan.changeTypes().get(i)).shortText();
        records.add(type + table.show(row.at(i)));
      }
      if (!plan.isEmpty()) {
        long base = logEnd;
        store(plan);
        plan.applied(base, nowMs);
      }
      return records;
    }
  }

  private void store(ChangelogPlan plan) {
    try (EncodedBatch batch =
        encoder.encode(plan.root(), plan.schema(), plan.changeTypes(), BatchWriter.NONE)) {
      LogBatchHeader header = LogBatchHeader.wrap(copy(batch.header().bytes()));
      header.stamp(logEnd, 1, nowMs);
      List<ByteBuffer> sections = batch.sections().stream().map(ModelBucket::copy).toList();
      log.add(new StoredBatch(header, sections));
      logEnd = header.nextOffset();
    }
  }

  private static ByteBuffer copy(ByteBuffer source) {
    ByteBuffer copy = ByteBuffer.allocate(source.remaining()).order(source.order());
    return copy.put(source.duplicate()).flip();
  }

  long logEnd() {
    return logEnd;
  }

  int batches() {
    return log.size();
  }

  /** Offset behind the first so many batches. */
  long endOf(int batches) {
    return batches == 0 ? 0 : log.get(batches - 1).header().nextOffset();
  }

  /** Drops the batches behind the first so many. */
  void cutLog(int batches) {
    log.subList(batches, log.size()).clear();
    logEnd = endOf(batches);
  }

  /** Drops what a kill of the process would lose, and opens the bucket again. */
  void crash() {
    tablet.discard();
    tablet = open();
  }

  /** Stops in order and opens the bucket again. */
  void restart() {
    tablet.close();
    tablet = open();
  }

  /** Loads the log's batches behind the known end. */
  void replay() {
    for (StoredBatch batch : log) {
      tablet.load(batch.header(), batch.sections());
    }
  }

  /** What readers see now. */
  RowsView view() {
    return RowsView.of(
        tablet.store(), Duration.ofMillis(table.expires() ? ModelTable.TTL_MS : 0), nowMs);
  }

  @Nullable String lookup(int key) {
    byte[] value = view().get(key(key));
    return value == null ? null : show(value);
  }

  /** All rows in the store, expired ones too. */
  List<String> rows() {
    List<String> rows = new ArrayList<>();
    try (KvScan scan = tablet.store().scan()) {
      while (scan.next()) {
        rows.add(show(scan.value()));
      }
    }
    return rows;
  }

  String show(byte[] value) {
    return table.show(codec.decode(value)) + " at " + RowCodec.modifiedMs(value);
  }

  @Override
  public void close() {
    tablet.close();
    encoder.close();
    resources.close();
    allocator.close();
  }
}
