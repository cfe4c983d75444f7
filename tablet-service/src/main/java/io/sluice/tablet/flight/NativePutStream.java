package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.BatchValidator;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.error.PutErrors;
import io.sluice.protocol.flight.FlightFrame;
import io.sluice.protocol.flight.WireEncoding;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.Acks;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.PutAnswer;
import io.sluice.protocol.flight.v1.PutMetadata;
import io.sluice.tablet.replica.AppendCallback;
import io.sluice.tablet.replica.AppendRequest;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;

/**
 * A put of batches that the client has framed, compressed and checksummed. Each is checked in one
 * pass without decoding a column and handed to its replica, which decodes it when the table has a
 * primary key; answers go out as they come, by request id. A refusal answers its request and never
 * ends the stream; only a message without a request id does.
 *
 * <p>Reading goes on whatever a bucket does: over the connection's limit batches are answered
 * BACKPRESSURE. It pauses only while the client does not take its answers.
 */
final class NativePutStream implements PutStream {
  /** Messages that gRPC may take in ahead of this stream, so that the next is there at once. */
  private static final int READ_AHEAD = 4;

  private final PutContext context;
  private final CallResponder<PutResult> responder;
  private final ConnectionBudgets.Budget budget;
  private final NativePut put;
  private final WireEncoding encoding;
  private final BatchValidator validator = new BatchValidator();
  // Puts without an answer, and one for the stream itself until the client has sent all.
  private final AtomicInteger open = new AtomicInteger(1);
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile boolean stopping;
  private int deferredRequests;
  // The schema of the table for which the columns of the put were checked.
  private @Nullable TableSchema checkedSchema;

  NativePutStream(
      PutContext context,
      CallResponder<PutResult> responder,
      ConnectionBudgets.Budget budget,
      NativePut put,
      WireEncoding encoding) {
    this.context = context;
    this.responder = responder;
    this.budget = budget;
    this.put = put;
    this.encoding = encoding;
    responder.request(READ_AHEAD - 1);
  }

  @Override
  public void message(FlightFrame frame) {
    boolean descriptorOnly =
        frame.descriptor() != null
            && !frame.dataHeader().hasRemaining()
            && !frame.appMetadata().hasRemaining();
    if (descriptorOnly) {
      frame.close();
    } else {
      put(frame);
    }
    if (responder.isReady()) {
      responder.request(1);
    } else {
      deferredRequests++;
    }
  }

  @Override
  public void ready() {
    int messages = deferredRequests;
    deferredRequests = 0;
    if (messages > 0) {
      responder.request(messages);
    }
  }

  @Override
  public void end() {
    if (ended.compareAndSet(false, true)) {
      answered();
    }
  }

  /** Later messages are refused; the call ends when those before are answered. */
  @Override
  public void stop() {
    stopping = true;
    end();
  }

  @Override
  public void cancelled() {
    // Batches that replicas hold are released by their answers.
    ended.set(true);
  }

  private void put(FlightFrame frame) {
    PutMetadata metadata;
    try {
      if (!frame.appMetadata().hasRemaining()) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "A message of a native put has no app_metadata; it must carry PutMetadata");
      }
      metadata = WireMessages.parse(frame.appMetadata(), PutMetadata.getDefaultInstance());
    } catch (RuntimeException e) {
      frame.close();
      throw e;
    }
    if (stopping) {
      frame.close();
      refuse(metadata, PutHandler.stopping());
      return;
    }
    InFlight batch = new InFlight(frame, metadata, context.clock().nanoTime());
    if (!budget.reserve(batch.bytes)) {
      frame.close();
      refuse(
          metadata,
          new SluiceException(
              ErrorCode.BACKPRESSURE,
              "This connection has "
                  + budget.used()
                  + " unanswered bytes of at most "
                  + budget.limitBytes()
                  + "; wait for answers before sending more"));
      return;
    }
    open.incrementAndGet();
    try {
      append(batch);
    } catch (SluiceException e) {
      batch.refused(e);
    } catch (RuntimeException e) {
      batch.refused(new SluiceException(ErrorCode.INTERNAL, "Batch cannot be checked: " + e, e));
    }
  }

  private void append(InFlight batch) {
    PutMetadata metadata = batch.metadata;
    HostedTable table = requireTable();
    checkKind(table);
    batch.keyed = !table.schema().primaryKey().isEmpty();
    int bucket = metadata.getBucket();
    if (bucket < 0 || bucket >= table.bucketCount()) {
      throw ScanPlanner.noBucket(table.path(), bucket, table.bucketCount());
    }
    Replica replica =
        context
            .directory()
            .replicas()
            .require(new TableBucket(put.getTableId(), metadata.getPartitionId(), bucket));
    replica.requireLeader();
    LogBatchHeader header = header(metadata.getHeader());
    checkStream(header, table);
    PutLimits.check(header.recordCount(), header.length());
    ByteBuffer changeTypes = metadata.getChangeTypes().asReadOnlyByteBuffer();
    ByteBuffer statistics = metadata.getStatistics().asReadOnlyByteBuffer();
    ByteBuffer arrow = batch.frame.dataHeader();
    ByteBuffer checksums = metadata.getChecksums().asReadOnlyByteBuffer();
    List<ByteBuffer> body = body(batch);
    TableSchema schema = table.schema(header.schemaId());
    List<Integer> targets = put.getTargetColumnsList();
    validator.validate(
        schema,
        targets,
        header,
        changeTypes.duplicate(),
        statistics.duplicate(),
        arrow.duplicate(),
        checksums.duplicate(),
        body);
    List<ByteBuffer> sections = new ArrayList<>(4 + body.size());
    sections.add(changeTypes);
    sections.add(statistics);
    sections.add(arrow);
    sections.add(checksums);
    sections.addAll(body);
    replica.append(
        new AppendRequest(
            header,
            sections,
            targets,
            metadata.getAckedThrough(),
            put.getAcks() != Acks.ACKS_LEADER),
        batch);
  }

  /** A log takes the body in pieces, as it was received; rows are decoded from one buffer. */
  private static List<ByteBuffer> body(InFlight batch) {
    FlightFrame frame = batch.frame;
    if (frame.bodyLength() == 0) {
      return List.of(ByteBuffer.allocate(0));
    }
    ArrowBuf whole = batch.keyed ? frame.body() : null;
    return whole == null ? frame.bodyPieces() : List.of(whole.nioBuffer(0, frame.bodyLength()));
  }

  private HostedTable requireTable() {
    HostedTable table = context.directory().replicas().table(put.getTableId());
    if (table != null) {
      return table;
    }
    // Ids are never reused: a table that was here and is gone, or one this server never had.
    throw new SluiceException(
        ErrorCode.TABLE_CHANGED,
        "Table id "
            + put.getTableId()
            + " is not known to this server: the table was dropped, or is led elsewhere; look it"
            + " up again");
  }

  /** What the command asks for must be something that this kind of table does. */
  private void checkKind(HostedTable table) {
    if (table.schema().primaryKey().isEmpty()) {
      if (put.getTargetColumnsCount() > 0) {
        throw new SluiceException(
            ErrorCode.UNSUPPORTED,
            "target_columns is set, which only primary-key tables take; "
                + table.path()
                + " takes whole rows");
      }
      return;
    }
    PutTargets.checkAcks(table.path(), put.getAcks());
    if (table.schema() != checkedSchema) {
      PutColumns.of(table.path(), table.schema(), table.options())
          .check(table.schema(put.getSchemaId()), put.getTargetColumnsList());
      checkedSchema = table.schema();
    }
  }

  /** The batch must be what the stream's command says. */
  private void checkStream(LogBatchHeader header, HostedTable table) {
    header.checkShape();
    if (header.schemaId() != put.getSchemaId()) {
      throw new SluiceException(
          ErrorCode.INVALID_SCHEMA,
          "The batch has schema "
              + header.schemaId()
              + " but the stream was opened for schema "
              + put.getSchemaId()
              + " of "
              + table.path());
    }
    long writer = put.getWriterId();
    if (header.writerId() != writer
        || (writer >= 0 && header.writerEpoch() != put.getWriterEpoch())) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The batch is of writer "
              + header.writerId()
              + " epoch "
              + header.writerEpoch()
              + " but the stream was opened for writer "
              + writer
              + " epoch "
              + put.getWriterEpoch());
    }
  }

  /** The header in memory of its own: the leader writes into it. */
  private static LogBatchHeader header(ByteString bytes) {
    if (bytes.size() != LogBatchHeader.SIZE) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Batch header has " + bytes.size() + " bytes; it must have " + LogBatchHeader.SIZE);
    }
    return LogBatchHeader.wrap(ByteBuffer.wrap(bytes.toByteArray()));
  }

  private void refuse(PutMetadata metadata, SluiceException why) {
    context.meters().refused(why.code());
    send(answer(metadata).setBaseOffset(-1).setError(PutErrors.toPutError(why)).build());
  }

  private static PutAnswer.Builder answer(PutMetadata metadata) {
    return PutAnswer.newBuilder()
        .setRequestId(metadata.getRequestId())
        .setPartitionId(metadata.getPartitionId())
        .setBucket(metadata.getBucket());
  }

  private void send(PutAnswer answer) {
    responder.send(PutResult.newBuilder().setAppMetadata(encoding.encode(answer)).build());
  }

  private void answered() {
    if (open.decrementAndGet() == 0) {
      if (stopping) {
        responder.fail(PutHandler.stopping());
      } else {
        responder.complete();
      }
    }
  }

  /** One batch between its arrival and its answer. */
  private final class InFlight implements AppendCallback {
    private final FlightFrame frame;
    private final PutMetadata metadata;
    private final long arrivedNanos;
    private final int bytes;
    private volatile boolean keyed;
    private final AtomicBoolean done = new AtomicBoolean();

    InFlight(FlightFrame frame, PutMetadata metadata, long arrivedNanos) {
      this.frame = frame;
      this.metadata = metadata;
      this.arrivedNanos = arrivedNanos;
      this.bytes = frame.wireBytes();
    }

    @Override
    public void stored(long baseOffset, boolean duplicate, int leaderEpoch) {
      if (finish()) {
        int rows = LogBatchHeader.wrap(metadata.getHeader().asReadOnlyByteBuffer()).recordCount();
        context.meters().stored(rows, bytes, context.clock().nanoTime() - arrivedNanos);
        if (keyed) {
          context.kvMeters().put(rows);
        }
        send(
            answer(metadata)
                .setBaseOffset(baseOffset)
                .setRows(rows)
                .setDuplicate(duplicate)
                .setLeaderEpoch(leaderEpoch)
                .build());
        answered();
      }
    }

    @Override
    public void refused(SluiceException why) {
      if (finish()) {
        refuse(metadata, why);
        answered();
      }
    }

    private boolean finish() {
      if (!done.compareAndSet(false, true)) {
        return false;
      }
      frame.close();
      budget.release(bytes);
      return true;
    }
  }
}
