package io.sluice.tablet.kv;

import io.sluice.common.TableBucket;
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
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.MovedClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** A bucket of a primary-key table with its log in memory. */
final class KvFixture implements AutoCloseable {
  static final TableBucket BUCKET = new TableBucket(258, 3, 5);

  /** {@code (k INT, a STRING, b STRING, c INT)}, key k. */
  static final TableSchema SCHEMA =
      schema(
          1,
          column(1, "k", "INT", false),
          column(2, "a", "STRING", true),
          column(3, "b", "STRING", true),
          column(4, "c", "INT", true));

  final BufferAllocator allocator = new RootAllocator();
  final KvResources resources;
  final Path directory;
  final Schemas schemas = new Schemas(SCHEMA);
  final Ids ids = new Ids();
  final MovedClock clock = new MovedClock(1_000);
  final List<StoredBatch> log = new ArrayList<>();
  long logEnd;
  KvTablet tablet;
  private final LogBatchEncoder encoder =
      new LogBatchEncoder(allocator, CompressionSettings.of(BatchCodec.LZ4));

  /** A batch as the log has it. */
  record StoredBatch(LogBatchHeader header, List<ByteBuffer> sections) {}

  /** One row of a put. */
  record Change(boolean delete, Row row) {
    static Change put(@Nullable Object... values) {
      return new Change(false, Row.of(values));
    }

    static Change delete(@Nullable Object... values) {
      return new Change(true, Row.of(values));
    }
  }

  /** Ids from 1 on. */
  static final class Ids implements IdSource {
    long last;

    @Override
    public boolean require(int rows) {
      return true;
    }

    @Override
    public long next() {
      return ++last;
    }
  }

  /** Schemas and options that a test adds to. */
  static final class Schemas implements KvSchemas {
    private final Map<Integer, TableSchema> known = new TreeMap<>();
    private Map<String, String> options = Map.of();
    private KvRules rules;

    Schemas(TableSchema first) {
      rules = KvRules.of(first, options);
      add(first);
    }

    void add(TableSchema schema) {
      known.put(schema.schemaId(), schema);
      rules = KvRules.of(schema, options);
    }

    /** Sets all options of the table. */
    void options(Map<String, String> newOptions) {
      options = newOptions;
      rules = KvRules.of(rules.schema(), options);
    }

    @Override
    public KvRules rules() {
      return rules;
    }

    @Override
    public TableSchema current() {
      return rules.schema();
    }

    @Override
    public TableSchema schema(int schemaId) {
      return known.get(schemaId);
    }
  }

  KvFixture(Path directory) {
    this(directory, settings());
  }

  KvFixture(Path directory, KvSettings settings) {
    this.directory = directory;
    this.resources = KvResources.open(settings);
    this.tablet = openTablet();
  }

  static KvSettings settings() {
    long mib = 1024 * 1024;
    return new KvSettings(16 * mib, 8 * mib, 4 * mib, 32, 1, 60_000, 32 * mib);
  }

  static TableSchema schema(int id, Column... columns) {
    return new TableSchema(id, List.of(columns), List.of("k"));
  }

  static Column column(int id, String name, String type, boolean nullable) {
    return Column.of(id, name, DataTypeParser.parse(type), nullable);
  }

  private KvTablet openTablet() {
    KvContext context = new KvContext(schemas, ids, clock, allocator);
    return KvTablet.open(resources, BUCKET, directory, context, () -> {}, 0, logEnd);
  }

  /** Evaluates a put and leaves the plan to the caller. */
  ChangelogPlan evaluate(PutShape shape, List<Change> changes) {
    try (VectorSchemaRoot root =
        VectorSchemaRoot.create(ArrowSchemas.toArrow(shape.rows()), allocator)) {
      ColumnWriters writers = ColumnWriters.of(shape.rows(), root, changes.size());
      ByteBuffer types = ByteBuffer.allocate(changes.size());
      for (Change change : changes) {
        writers.write(change.row());
        types.put((change.delete() ? ChangeType.DELETE : ChangeType.UPDATE_AFTER).code());
      }
      writers.finish();
      return tablet.evaluate(shape, root, types.flip());
    }
  }

  /** A whole put: evaluated, stored in the log, known to later puts; returns its changelog. */
  List<String> put(PutShape shape, Change... changes) {
    return put(shape, List.of(changes));
  }

  List<String> put(PutShape shape, List<Change> changes) {
    try (ChangelogPlan plan = evaluate(shape, changes)) {
      List<String> records = records(plan);
      append(plan, clock.epochMs());
      return records;
    }
  }

  List<String> put(Change... changes) {
    return put(PutShape.full(schemas.current()), changes);
  }

  /** Stores the plan's changelog. */
  void append(ChangelogPlan plan, long appendTimeMs) {
    if (plan.isEmpty()) {
      return;
    }
    long base = logEnd;
    store(plan, appendTimeMs);
    plan.applied(base, appendTimeMs);
  }

  private void store(ChangelogPlan plan, long appendTimeMs) {
    try (EncodedBatch batch =
        encoder.encode(plan.root(), plan.schema(), plan.changeTypes(), BatchWriter.NONE)) {
      LogBatchHeader header = LogBatchHeader.wrap(copy(batch.header().bytes()));
      header.stamp(logEnd, 1, appendTimeMs);
      List<ByteBuffer> sections = new ArrayList<>();
      for (ByteBuffer section : batch.sections()) {
        sections.add(copy(section));
      }
      log.add(new StoredBatch(header, sections));
      logEnd = header.nextOffset();
    }
  }

  private static ByteBuffer copy(ByteBuffer source) {
    ByteBuffer copy = ByteBuffer.allocateDirect(source.remaining()).order(source.order());
    return copy.put(source.duplicate()).flip();
  }

  static List<String> records(ChangelogPlan plan) {
    List<String> records = new ArrayList<>();
    VectorRow row = new VectorRow(plan.root());
    for (int i = 0; i < plan.recordCount(); i++) {
      records.add(ChangeType.of(plan.changeTypes().get(i)).shortText() + row.at(i));
    }
    return records;
  }

  /** Drops what a kill of the process would lose, and opens the bucket again. */
  void crash() {
    tablet.discard();
    tablet = openTablet();
  }

  /** As {@link #crash}, and the log loses the batches from an offset on. */
  void powerLoss(long newLogEnd) {
    log.removeIf(batch -> batch.header().baseOffset() >= newLogEnd);
    logEnd = newLogEnd;
    crash();
  }

  /** Stops in order and opens the bucket again. */
  void restart() {
    tablet.close();
    tablet = openTablet();
  }

  /** Loads the log's batches behind the known end. */
  void replay() {
    for (StoredBatch batch : log) {
      tablet.load(batch.header(), batch.sections());
    }
  }

  /** The row that a lookup finds, null for none. */
  @Nullable String lookup(int k) {
    byte[] value = rows().get(key(k));
    return value == null ? null : show(value);
  }

  /** The rows as readers see them now. */
  RowsView rows() {
    return RowsView.of(tablet.store(), schemas.rules().merge().rowTtl(), clock.epochMs());
  }

  static byte[] key(int k) {
    return KeyEncoder.of(SCHEMA).encode(Row.of(k, null, null, null));
  }

  String show(byte[] value) {
    return show(schemas.schema(RowCodec.schemaId(value)), value);
  }

  static String show(TableSchema schema, byte[] value) {
    try (BufferAllocator own = new RootAllocator();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), own)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 1);
      writers.write(RowCodec.of(schema).decode(value));
      writers.finish();
      return new VectorRow(root).at(0).toString();
    }
  }

  @Override
  public void close() {
    tablet.close();
    encoder.close();
    resources.close();
    allocator.close();
  }
}
