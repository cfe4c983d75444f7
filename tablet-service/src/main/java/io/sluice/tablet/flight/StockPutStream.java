package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.Names;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.protocol.flight.FlightFrame;
import io.sluice.protocol.flight.WireEncoding;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.PutAnswer;
import io.sluice.protocol.flight.v1.StockPut;
import io.sluice.protocol.flight.v1.StockPutMetadata;
import io.sluice.protocol.metadata.v1.InitWriterResponse;
import io.sluice.tablet.flight.BatchCutter.Sequences;
import io.sluice.tablet.flight.TableDirectory.Located;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A put of plain Arrow by any Flight client: a schema message, then record batches. Each batch is
 * decoded, mapped to the table by column name, routed to buckets, cut, encoded and put; the next
 * one is read when it is answered. Every batch gets one {@link PutAnswer} whose request id counts
 * the batches from 0; the first refusal ends the call with its status.
 *
 * <p>With a writer name rows are stored exactly once: the first row of the stream has sequence 0
 * unless its message says otherwise, the rows of a message follow one another, a later message goes
 * on where the last one ended unless it names a higher sequence. Rows that the bucket has already
 * stored for the writer are skipped.
 */
final class StockPutStream implements PutStream {
  private final PutContext context;
  private final CallResponder<PutResult> responder;
  private final StockPut request;
  private final WireEncoding encoding;
  private final LogBatchDecoder decoder;
  private @Nullable Upload upload;
  private long messages;
  private long nextSequence;

  // Guarded by this: written by the call's executor and by the threads that answer.
  private @Nullable UploadedMessage inFlight;
  private boolean ended;
  private boolean stopping;
  private volatile boolean failed;

  StockPutStream(
      PutContext context,
      CallResponder<PutResult> responder,
      StockPut request,
      WireEncoding encoding) {
    this.context = context;
    this.responder = responder;
    this.request = request;
    this.encoding = encoding;
    this.decoder = new LogBatchDecoder(context.allocator());
  }

  /** What is known once the schema message has come. */
  private record Upload(
      Located written,
      Schema schema,
      UploadMapping mapping,
      RowRouter router,
      BatchCutter cutter,
      PutTargets targets,
      @Nullable InitWriterResponse writer,
      Map<TableBucket, Long> lastSequences)
      implements AutoCloseable {
    @Override
    public void close() {
      targets.close();
    }
  }

  @Override
  public void message(FlightFrame frame) {
    try (frame) {
      if (failed) {
        return;
      }
      ByteBuffer header = frame.dataHeader();
      if (!header.hasRemaining()) {
        if (frame.bodyLength() > 0) {
          throw new SluiceException(
              ErrorCode.INVALID_ARGUMENT, "A message of the upload has a body but no data_header");
        }
        responder.request(1);
        return;
      }
      switch (UploadSchema.kind(header)) {
        case SCHEMA -> {
          open(UploadSchema.parse(header));
          responder.request(1);
        }
        case RECORDS -> records(frame, header);
        case DICTIONARY ->
            throw new SluiceException(
                ErrorCode.UNSUPPORTED,
                "The upload has dictionary batches; send the columns as plain values");
      }
    }
  }

  @Override
  public void ready() {
    // One message is in flight: there is never more than one answer waiting.
  }

  @Override
  public void end() {
    synchronized (this) {
      ended = true;
      if (inFlight != null || failed) {
        return;
      }
    }
    responder.complete();
  }

  @Override
  public void stop() {
    synchronized (this) {
      stopping = true;
      if (inFlight != null) {
        return;
      }
      failed = true;
    }
    responder.fail(PutHandler.stopping());
  }

  @Override
  public void cancelled() {
    UploadedMessage open;
    synchronized (this) {
      failed = true;
      open = inFlight;
    }
    if (open != null) {
      open.cancel();
    }
    if (upload != null) {
      upload.close();
    }
    decoder.close();
  }

  private void open(Schema schema) {
    if (upload != null) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The upload sent a second schema; open another stream for other columns");
    }
    Located table =
        context.directory().locate(new TablePath(request.getDatabase(), request.getTable()));
    if (!table.schema().primaryKey().isEmpty()) {
      PutTargets.checkAcks(table.path(), request.getAcks());
    }
    PartialUpload partial = PartialUpload.of(table, request.getTargetColumnsList());
    Located written = partial.written();
    partial.check(schema);
    UploadMapping mapping = UploadMapping.of(schema, written);
    if (table.info() != null) {
      context.directory().awaitArrival(table.info());
    }
    InitWriterResponse writer = null;
    if (!request.getWriterName().isEmpty()) {
      writer =
          context.directory().metadata().initWriter(Names.checkWriter(request.getWriterName()));
    }
    NativePut put =
        NativePut.newBuilder()
            .setTableId(table.tableId())
            .setSchemaId(table.schema().schemaId())
            .addAllTargetColumns(partial.targetIds())
            .setWriterId(writer == null ? -1 : writer.getWriterId())
            .setWriterEpoch(writer == null ? 0 : writer.getWriterEpoch())
            .setAcks(request.getAcks())
            .build();
    PutTargets targets = new PutTargets(context, table, put);
    try {
      UploadPartitions partitions = new UploadPartitions(context.directory(), targets, table);
      // Of a partitioned table they are asked for when rows of the partition come.
      Map<TableBucket, Long> last = new HashMap<>();
      if (writer != null && !table.partitioned()) {
        last.putAll(targets.writerSequences(table.buckets()));
      }
      // Uploads begin at different buckets, so that many short ones spread.
      int firstBucket = (int) (context.clock().nanoTime() >>> 10);
      upload =
          new Upload(
              written,
              schema,
              mapping,
              new RowRouter(written, partitions, firstBucket),
              new BatchCutter(context.allocator(), context.encoders(), written),
              targets,
              writer,
              last);
    } catch (RuntimeException e) {
      targets.close();
      throw e;
    }
  }

  private void records(FlightFrame frame, ByteBuffer header) {
    Upload open = upload;
    if (open == null) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA, "The upload sent rows before its schema message");
    }
    ArrowBuf body = frame.body();
    UploadedMessage message;
    try (VectorSchemaRoot uploaded =
            decoder.decode(
                open.schema(), header, body == null ? context.allocator().getEmpty() : body);
        BatchRows batch = rows(open, uploaded)) {
      Sequences sequences = sequences(open, frame, batch.message().root().getRowCount());
      message = prepare(open, batch.message(), sequences, frame.wireBytes());
    }
    synchronized (this) {
      inFlight = message;
    }
    message.start();
  }

  private BatchRows rows(Upload open, VectorSchemaRoot uploaded) {
    byte[] changeTypes = open.mapping().changeTypes(uploaded);
    VectorSchemaRoot rows = open.mapping().map(uploaded, context.allocator());
    return new BatchRows(new BatchCutter.Message(rows, changeTypes));
  }

  /** The rows of a message as rows of the table. */
  private record BatchRows(BatchCutter.Message message) implements AutoCloseable {
    @Override
    public void close() {
      message.root().close();
    }
  }

  /** The sequences of the message's rows; OUT_OF_ORDER_SEQUENCE when they would not grow. */
  private Sequences sequences(Upload open, FlightFrame frame, int rows) {
    InitWriterResponse writer = open.writer();
    if (writer == null) {
      return Sequences.NONE;
    }
    long base = nextSequence;
    if (frame.appMetadata().hasRemaining()) {
      base =
          WireMessages.parse(frame.appMetadata(), StockPutMetadata.getDefaultInstance())
              .getSequence();
      if (base < nextSequence) {
        throw new SluiceException(
            ErrorCode.OUT_OF_ORDER_SEQUENCE,
            "The message begins at sequence "
                + base
                + "; the stream has reached "
                + nextSequence
                + " and sequences must grow");
      }
    }
    if (base > Long.MAX_VALUE - rows) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The message begins at sequence "
              + base
              + ", which leaves no room for its "
              + rows
              + " rows; sequences end at "
              + Long.MAX_VALUE);
    }
    nextSequence = base + rows;
    return new Sequences(writer.getWriterId(), writer.getWriterEpoch(), base, nextSequence);
  }

  private UploadedMessage prepare(
      Upload open, BatchCutter.Message batch, Sequences sequences, int wireBytes) {
    VectorSchemaRoot rows = batch.root();
    UploadedMessage message =
        new UploadedMessage(
            messages++, rows.getRowCount(), wireBytes, context.clock().nanoTime(), this::answered);
    boolean done = false;
    try {
      if (rows.getRowCount() > 0) {
        Map<TableBucket, int[]> routed = open.router().route(rows, sequences.base());
        for (Map.Entry<TableBucket, int[]> each : routed.entrySet()) {
          add(open, message, batch, each.getKey(), each.getValue(), sequences);
        }
      }
      done = true;
      return message;
    } finally {
      if (!done) {
        message.discard();
      }
    }
  }

  private void add(
      Upload open,
      UploadedMessage message,
      BatchCutter.Message rows,
      TableBucket bucket,
      int[] indexes,
      Sequences sequences) {
    int[] wanted = indexes;
    long first = sequences.base();
    if (sequences.id() >= 0) {
      first = Math.max(sequences.base(), lastSequence(open, bucket) + 1);
      long skipBelow = first - sequences.base();
      wanted = Arrays.stream(indexes).filter(row -> row >= skipBelow).toArray();
    }
    if (wanted.length == 0) {
      message.skipped(bucket);
      return;
    }
    List<PutPart> parts = open.cutter().cut(rows, wanted, sequences, first);
    message.add(
        new BucketPuts(
            context,
            open.targets(),
            bucket,
            open.cutter(),
            parts,
            sequences.base() - 1,
            message.outcome(bucket)));
  }

  private static long lastSequence(Upload open, TableBucket bucket) {
    Long last = open.lastSequences().get(bucket);
    if (last == null) {
      Located table = open.written();
      List<TableBucket> partition = new ArrayList<>();
      for (int each = 0; each < table.bucketCount(); each++) {
        partition.add(table.bucket(bucket.partitionId(), each));
      }
      open.lastSequences().putAll(open.targets().writerSequences(partition));
      last = open.lastSequences().getOrDefault(bucket, -1L);
    }
    return last;
  }

  /** Everything of a message is answered; runs on any thread. */
  private void answered(UploadedMessage message, @Nullable SluiceException failure) {
    if (failure != null) {
      failed = true;
      context.meters().refused(failure.code());
      responder.fail(failure);
      return;
    }
    context
        .meters()
        .stored(
            message.rows(),
            message.wireBytes(),
            context.clock().nanoTime() - message.arrivedNanos());
    Upload open = upload;
    if (open != null && !open.written().schema().primaryKey().isEmpty()) {
      context.kvMeters().put(message.rows());
    }
    PutAnswer answer = message.answer();
    responder.send(PutResult.newBuilder().setAppMetadata(encoding.encode(answer)).build());
    boolean last;
    boolean stop;
    synchronized (this) {
      inFlight = null;
      last = ended;
      stop = stopping;
      failed |= stop && !last;
    }
    if (last) {
      responder.complete();
    } else if (stop) {
      responder.fail(PutHandler.stopping());
    } else {
      responder.request(1);
    }
  }
}
