package io.sluice.tablet.replica;

import io.sluice.common.TablePath;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Tables {@code (k INT, a STRING, c INT)}, key k, and puts into their leader. */
final class StandbyPuts {
  static final TableSchema SCHEMA = KvReplicaRandomTest.SCHEMA;
  static final int KEYS = 80;

  private StandbyPuts() {}

  static HostedTable table(Map<String, String> options) {
    return new HostedTable(
        7, TablePath.parse("demo.keyed"), List.of(SCHEMA), 1, List.of("k"), options);
  }

  static boolean givesIds(HostedTable table) {
    return table.options().containsKey("auto-increment.fields");
  }

  /** Upserts and deletes of random keys. */
  static void random(StandbyNode leader, SplittableRandom random) {
    int count = 1 + random.nextInt(40);
    boolean deletes = !leader.table.options().containsKey("table.merge-engine");
    List<Row> rows = new ArrayList<>();
    byte[] types = new byte[count];
    for (int i = 0; i < count; i++) {
      int key = random.nextInt(KEYS);
      String text = random.nextInt(5) == 0 ? null : "text" + random.nextInt(4);
      rows.add(Row.of(key, text, random.nextInt(100)));
      boolean delete = deletes && random.nextInt(4) == 0;
      types[i] = (delete ? ChangeType.DELETE : ChangeType.UPDATE_AFTER).code();
    }
    put(leader, rows, types);
  }

  /** One row for each number. */
  static void numbers(StandbyNode leader, int from, int to, String text) {
    List<Row> rows = new ArrayList<>();
    byte[] types = new byte[to - from];
    for (int key = from; key < to; key++) {
      rows.add(Row.of(key, text + key, key));
      types[key - from] = ChangeType.UPDATE_AFTER.code();
    }
    put(leader, rows, types);
  }

  private static void put(StandbyNode leader, List<Row> rows, byte[] types) {
    boolean ids = givesIds(leader.table);
    TableSchema shape =
        ids ? new TableSchema(1, SCHEMA.columns().subList(0, 2), SCHEMA.primaryKey()) : SCHEMA;
    if (!leader.kv.hasIdsFor(rows.size())) {
      leader.runQueued();
      if (!leader.kv.hasIdsFor(rows.size())) {
        throw new AssertionError("No ids");
      }
    }
    try (LogBatchEncoder encoder =
            new LogBatchEncoder(leader.allocator, CompressionSettings.defaults());
        VectorSchemaRoot root =
            VectorSchemaRoot.create(ArrowSchemas.toArrow(shape), leader.allocator)) {
      ColumnWriters writers = ColumnWriters.of(shape, root, rows.size());
      for (Row row : rows) {
        writers.write(ids ? Row.of(row.getInt(0), row.isNull(1) ? null : row.getString(1)) : row);
      }
      try (EncodedBatch batch =
          encoder.encode(writers.finish(), shape, ByteBuffer.wrap(types), BatchWriter.NONE)) {
        AppendRequest request =
            new AppendRequest(
                batch.header(), batch.sections(), ids ? List.of(1, 2) : List.of(), -1, true);
        leader.kv.put(request, 0, leader.epoch);
      }
    }
  }
}
