package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.BatchLimits;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.row.VectorRow;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.Lookup;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.tablet.flight.TableDirectory.Located;
import io.sluice.tablet.kv.KvSchemas;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The lookups of one DoExchange: batches of keys in, batches of rows out, in the order of the keys;
 * of keys one row each, of prefixes all their rows. Buckets that other tablets lead are asked
 * there. One owner at a time.
 */
final class LookupExchange implements AutoCloseable {
  private final FlightContext context;
  private final ExchangeTable table;
  private final LookupColumns columns;
  private final KvSchemas schemas;
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
    this.table = new ExchangeTable(context, directory, peers, lookup);
    Located located = table.located();
    this.columns = new LookupColumns(located.schema(), lookup.getColumnsList(), isOfPrefixes());
    this.schemas = new HostedSchemas(context.replicas(), located.tableId(), located.schema());
    this.decoder = new LogBatchDecoder(context.allocator());
  }

  private boolean isOfPrefixes() {
    return table.kind() == LookupKind.LOOKUP_PREFIX;
  }

  /** Takes the schema of the keys; answers with the schema of the rows. */
  OutboundFrame open(Schema keys) {
    if (mapping != null) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The exchange sent a second schema; open another one for other keys");
    }
    mapping = UploadMapping.ofKeys(keys, table.located().path(), table.routing().keySchema());
    uploaded = keys;
    return PlainFrames.schema(columns.arrow());
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
    table.beginBatch();
    byte[][] encoded;
    Map<TableBucket, List<Integer>> rowsOf;
    try (VectorSchemaRoot upload = decoder.decode(schema, header, bytes);
        VectorSchemaRoot keys = open.map(upload, context.allocator())) {
      encoded = encode(keys);
      rowsOf = rowsOf(keys);
    }
    return isOfPrefixes() ? prefixes(rowsOf, encoded) : keys(rowsOf, encoded);
  }

  private byte[][] encode(VectorSchemaRoot keys) {
    byte[][] encoded = new byte[keys.getRowCount()][];
    VectorRow cursor = new VectorRow(keys);
    for (int row = 0; row < encoded.length; row++) {
      encoded[row] = table.routing().encoder().encode(cursor.at(row));
    }
    return encoded;
  }

  /** The positions of the keys of each bucket; those whose partition does not exist are nowhere. */
  private Map<TableBucket, List<Integer>> rowsOf(VectorSchemaRoot keys) {
    int[] buckets = new int[keys.getRowCount()];
    table.routing().buckets(keys, buckets);
    Map<TableBucket, List<Integer>> rowsOf = new LinkedHashMap<>();
    for (int row = 0; row < buckets.length; row++) {
      TableBucket bucket = table.bucket(keys, row, buckets[row]);
      if (bucket != null) {
        rowsOf.computeIfAbsent(bucket, any -> new ArrayList<>()).add(row);
      }
    }
    return rowsOf;
  }

  private static List<byte[]> keysOf(List<Integer> rows, byte[][] encoded) {
    List<byte[]> keys = new ArrayList<>(rows.size());
    rows.forEach(row -> keys.add(encoded[row]));
    return keys;
  }

  private OutboundFrame keys(Map<TableBucket, List<Integer>> rowsOf, byte[][] encoded) {
    byte[] @Nullable [] values = new byte[encoded.length][];
    boolean[] found = new boolean[encoded.length];
    long bytes = 0;
    for (Map.Entry<TableBucket, List<Integer>> each : rowsOf.entrySet()) {
      List<Integer> rows = each.getValue();
      LookupAnswer answer = table.ask(each.getKey(), keysOf(rows, encoded));
      for (int i = 0; i < rows.size(); i++) {
        byte[] value = answer.values().get(i);
        values[rows.get(i)] = value;
        found[rows.get(i)] = value != null;
        bytes += value == null ? 0 : value.length;
      }
      answer.missing().forEach(made -> found[rows.get(made)] = false);
      requireFits(bytes, encoded.length);
    }
    return columns.ofKeys(schemas, context, values, found);
  }

  private OutboundFrame prefixes(Map<TableBucket, List<Integer>> rowsOf, byte[][] encoded) {
    List<List<byte @Nullable []>> values =
        new ArrayList<>(Collections.nCopies(encoded.length, List.of()));
    long bytes = 0;
    for (Map.Entry<TableBucket, List<Integer>> each : rowsOf.entrySet()) {
      LookupAnswer answer = table.ask(each.getKey(), keysOf(each.getValue(), encoded));
      int from = 0;
      for (int i = 0; i < each.getValue().size(); i++) {
        int to = from + answer.rowCounts().get(i);
        values.set(each.getValue().get(i), answer.values().subList(from, to));
        from = to;
      }
      for (byte[] value : answer.values()) {
        bytes += value == null ? 0 : value.length;
      }
      requireFits(bytes, encoded.length);
    }
    return columns.ofPrefixes(schemas, context, values);
  }

  private void requireFits(long bytes, int keys) {
    if (bytes > BatchLimits.MAX_SINGLE_ROW_BYTES && keys > 1) {
      throw new SluiceException(
          ErrorCode.BATCH_TOO_LARGE,
          "The rows of a batch of "
              + keys
              + (isOfPrefixes() ? " prefixes of " : " keys of ")
              + table.located().path()
              + " take more than the "
              + BatchLimits.MAX_SINGLE_ROW_BYTES
              + " bytes that one answer holds; send fewer in a batch"
              + (isOfPrefixes() ? ", or give a limit" : ""));
    }
  }

  @Override
  public void close() {
    decoder.close();
  }
}
