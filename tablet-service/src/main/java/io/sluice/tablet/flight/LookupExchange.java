package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.partition.PartitionCache;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.format.row.VectorRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.Lookup;
import io.sluice.tablet.flight.TableDirectory.Located;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.kv.RowBatch;
import io.sluice.tablet.lookup.KeyRouting;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The lookups of one DoExchange: batches of keys in, batches of rows out, in the order of the keys.
 * Buckets that other tablets lead are asked there. One owner at a time.
 */
final class LookupExchange implements AutoCloseable {
  /** Name of the column that says whether the row exists. */
  static final String FOUND = "_found";

  private static final long NO_SUCH_PARTITION = -1;

  private final FlightContext context;
  private final TableDirectory directory;
  private final PeerLookups peers;
  private Located table;
  private final KvSchemas schemas;
  private final KeyRouting routing;
  private final @Nullable PartitionCache<Long> partitions;
  private final TableSchema answered;
  private final Schema answeredArrow;
  private final LogBatchDecoder decoder;
  private @Nullable UploadMapping mapping;
  private @Nullable Schema uploaded;

  /**
   * Looks the table up.
   *
   * @throws SluiceException TABLE_NOT_FOUND, COLUMN_NOT_FOUND, UNSUPPORTED for a log table
   */
  LookupExchange(
      FlightContext context, TableDirectory directory, PeerLookups peers, Lookup lookup) {
    this.context = context;
    this.directory = directory;
    this.peers = peers;
    TablePath path = new TablePath(lookup.getDatabase(), lookup.getTable());
    this.table = directory.locate(path);
    this.routing =
        KeyRouting.of(table.path(), table.schema(), table.bucketKey(), table.bucketCount());
    this.partitions =
        table.partitioned()
            ? new PartitionCache<>(
                PartitionKeys.of(routing.keySchema(), table.partitionKeys()), this::partition)
            : null;
    this.answered = answered(table.schema(), lookup.getColumnsList());
    this.answeredArrow = arrow(answered);
    this.schemas = new HostedSchemas(context.replicas(), table.tableId(), table.schema());
    this.decoder = new LogBatchDecoder(context.allocator());
  }

  /** The columns asked for, all nullable, and the flag. */
  private static TableSchema answered(TableSchema schema, List<String> names) {
    List<Column> columns = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    List<String> wanted =
        names.isEmpty() ? schema.columns().stream().map(Column::name).toList() : names;
    for (String name : wanted) {
      if (!seen.add(name)) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT, "The lookup names column '" + name + "' twice");
      }
      Column column = schema.column(name);
      columns.add(
          new Column(
              column.id(),
              name,
              column.type(),
              true,
              column.comment(),
              column.initialDefault(),
              column.writeDefault()));
    }
    columns.add(Column.of(RowBatch.NO_COLUMN_ID, FOUND, new DataType.BooleanType(), false));
    return new TableSchema(schema.schemaId(), columns, List.of());
  }

  private static Schema arrow(TableSchema answered) {
    Schema whole = ArrowSchemas.toArrow(answered);
    List<Field> fields = new ArrayList<>(whole.getFields());
    Field flag = fields.remove(fields.size() - 1);
    // The flag is no column of the table and carries no id.
    fields.add(new Field(FOUND, FieldType.notNullable(flag.getType()), List.of()));
    return new Schema(fields, whole.getCustomMetadata());
  }

  /** Takes the schema of the keys; answers with the schema of the rows. */
  OutboundFrame open(Schema keys) {
    if (mapping != null) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The exchange sent a second schema; open another one for other keys");
    }
    mapping = UploadMapping.ofKeys(keys, table.path(), routing.keySchema());
    uploaded = keys;
    return PlainFrames.schema(answeredArrow);
  }

  /** The rows of a batch of keys. */
  OutboundFrame answer(ByteBuffer header, @Nullable ArrowBuf body) {
    UploadMapping open = mapping;
    Schema schema = uploaded;
    if (open == null || schema == null) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA, "The exchange sent keys before their schema message");
    }
    ArrowBuf bytes = body == null ? context.allocator().getEmpty() : body;
    if (partitions != null) {
      // A partition that was missing may have been made meanwhile, one that was there dropped.
      partitions.clear();
    }
    List<byte @Nullable []> values;
    try (VectorSchemaRoot upload = decoder.decode(schema, header, bytes);
        VectorSchemaRoot keys = open.map(upload, context.allocator())) {
      values = read(keys);
    }
    try (RowBatch rows =
        RowBatch.withFlag(
            schemas, answered, answeredArrow, context.allocator(), Math.max(1, values.size()))) {
      values.forEach(rows::add);
      return PlainFrames.rows(rows.finish(), null, context.scanBuffers());
    }
  }

  private List<byte @Nullable []> read(VectorSchemaRoot keys) {
    int count = keys.getRowCount();
    int[] buckets = new int[count];
    routing.buckets(keys, buckets);
    Map<TableBucket, List<Integer>> rowsOf = new LinkedHashMap<>();
    for (int row = 0; row < count; row++) {
      long partition = partitions == null ? 0 : partitions.find(keys, row);
      if (partition != NO_SUCH_PARTITION) {
        TableBucket bucket = table.bucket(partition, buckets[row]);
        rowsOf.computeIfAbsent(bucket, any -> new ArrayList<>()).add(row);
      }
    }
    byte[][] encoded = new byte[count][];
    VectorRow cursor = new VectorRow(keys);
    for (int row = 0; row < count; row++) {
      encoded[row] = routing.encoder().encode(cursor.at(row));
    }
    byte[] @Nullable [] values = new byte[count][];
    rowsOf.forEach((bucket, rows) -> read(bucket, rows, encoded, values));
    return java.util.Arrays.asList(values);
  }

  private void read(
      TableBucket bucket, List<Integer> rows, byte[][] encoded, byte[] @Nullable [] values) {
    List<byte[]> keys = new ArrayList<>(rows.size());
    rows.forEach(row -> keys.add(encoded[row]));
    List<byte @Nullable []> found = read(bucket, keys);
    for (int i = 0; i < rows.size(); i++) {
      values[rows.get(i)] = found.get(i);
    }
  }

  private List<byte @Nullable []> read(TableBucket bucket, List<byte[]> keys) {
    try {
      String leader = table.leaderAddress(bucket);
      return leader == null || table.leader(bucket) == directory.serverId()
          ? context.lookups().read(bucket, keys)
          : peers.read(leader, bucket, keys, answered.schemaId());
    } catch (SluiceException e) {
      if (e.code() == ErrorCode.PARTITION_NOT_FOUND) {
        return readAfterDrop(bucket, keys);
      }
      throw e;
    }
  }

  /** The partition was dropped with its rows; one of the same values may have been made since. */
  private List<byte @Nullable []> readAfterDrop(TableBucket bucket, List<byte[]> keys) {
    List<String> values = table.partitions().get(bucket.partitionId());
    Located now = directory.locate(table.path());
    Long partition = values == null ? null : partition(now, values);
    boolean same = now.tableId() == table.tableId();
    if (partition == null || partition == bucket.partitionId() || !same) {
      return Collections.nCopies(keys.size(), null);
    }
    table = now;
    return read(now.bucket(partition, bucket.bucket()), keys);
  }

  /** The partition of these values, asked for again when it was not there before. */
  private long partition(List<String> values) {
    Long known = partition(table, values);
    if (known == null) {
      Located now = directory.locate(table.path());
      if (now.tableId() == table.tableId()) {
        table = now;
        known = partition(now, values);
      }
    }
    return known == null ? NO_SUCH_PARTITION : known;
  }

  private static @Nullable Long partition(Located located, List<String> values) {
    for (Map.Entry<Long, List<String>> each : located.partitions().entrySet()) {
      if (each.getValue().equals(values)) {
        return each.getKey();
      }
    }
    return null;
  }

  @Override
  public void close() {
    decoder.close();
  }
}
