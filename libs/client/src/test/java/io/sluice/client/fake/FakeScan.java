package io.sluice.client.fake;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.netty.buffer.Unpooled;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.EndAt;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.flight.v1.StartAt;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/** One DoGet of the fake cluster: whole batches, in bucket turns, while the call is ready. */
final class FakeScan {
  private final FakeCluster cluster;
  private final ServerCall<Flight.Ticket, OutboundFrame> call;
  private final ScanTicket ticket;
  private final int tablet;
  private final List<Position> positions = new ArrayList<>();
  private int messagesLeft;
  private boolean ended;

  private static final class Position {
    private final long partition;
    private final int bucket;
    private final long end;
    private long next;
    private long told;

    Position(long partition, int bucket, long next, long end) {
      this.partition = partition;
      this.bucket = bucket;
      this.next = next;
      this.told = next;
      this.end = end;
    }
  }

  /**
   * @param messages batches after which the stream breaks
   */
  FakeScan(
      FakeCluster cluster,
      ServerCall<Flight.Ticket, OutboundFrame> call,
      ScanTicket ticket,
      int tablet,
      int messages) {
    this.cluster = cluster;
    this.call = call;
    this.ticket = ticket;
    this.tablet = tablet;
    this.messagesLeft = messages;
  }

  synchronized void start() {
    for (BucketScan each : ticket.getBucketsList()) {
      boolean given = each.getStartAt() == StartAt.START_OFFSET && !cluster.scanStartsIgnored();
      long start = given ? each.getStart() : 0;
      long end = each.getEndAt() == EndAt.END_NONE ? Long.MAX_VALUE : each.getEnd();
      long partition = each.getPartitionId();
      positions.add(new Position(partition, each.getBucket(), start, end));
      if (end == Long.MAX_VALUE) {
        cluster.bucket(partition, each.getBucket()).addListener(this::run);
      }
    }
    Schema schema = ArrowSchemas.toArrow(cluster.schema());
    ByteBuffer header = MessageSerializer.serializeMetadata(schema);
    try (OutboundFrame frame = OutboundFrame.of(null, header, null)) {
      call.sendMessage(frame);
    }
    if (ticket.getKvScan()) {
      sendCurrentRows();
    }
    run();
  }

  private void sendCurrentRows() {
    for (Position position : List.copyOf(positions)) {
      if (cluster.bucket(position.bucket).leader() != tablet || messagesLeft-- == 0) {
        breakOff();
        return;
      }
      long offset = cluster.bucket(position.bucket).end();
      cluster
          .rows(position.bucket)
          .encode(
              batch -> {
                byte[] body = new byte[batch.bodyLength()];
                batch.bodyBytes().get(body);
                send(position, offset, offset, batch.metadata(), body);
              });
      if (messagesLeft-- == 0) {
        breakOff();
        return;
      }
      sendEnd(position, offset);
    }
    positions.clear();
  }

  private void breakOff() {
    ended = true;
    call.close(Status.UNAVAILABLE.withDescription("as the test asks"), new Metadata());
  }

  private void sendEnd(Position position, long offset) {
    ScanMetadata metadata =
        ScanMetadata.newBuilder()
            .setPartitionId(position.partition)
            .setBucket(position.bucket)
            .setBaseOffset(offset)
            .setNextOffset(offset)
            .build();
    try (OutboundFrame frame = OutboundFrame.of(null, null, metadata)) {
      call.sendMessage(frame);
    }
  }

  synchronized void cancel() {
    ended = true;
  }

  /** Sends what can be sent now. */
  synchronized void run() {
    try {
      while (!ended
          && !cluster.isFrozen(tablet)
          && !positions.isEmpty()
          && call.isReady()
          && sendOne()) {
        messagesLeft--;
      }
    } catch (SluiceException e) {
      ended = true;
      StatusRuntimeException status = StatusMapping.toStatus(e);
      Metadata trailers = status.getTrailers();
      call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
    }
    if (!ended && !cluster.isFrozen(tablet) && positions.isEmpty()) {
      ended = true;
      call.close(Status.OK, new Metadata());
    }
  }

  private boolean sendOne() {
    for (Position position : List.copyOf(positions)) {
      FakeBucket bucket = cluster.bucket(position.partition, position.bucket);
      if (bucket.leader() != tablet || messagesLeft == 0) {
        ended = true;
        call.close(Status.UNAVAILABLE.withDescription("as the test asks"), new Metadata());
        return false;
      }
      cluster.checkScan(bucket, position.next);
      for (FakeBucket.Stored batch : bucket.log()) {
        if (batch.baseOffset() >= position.next && position.next < position.end) {
          if (!ticket.getFilter().isEmpty() && cluster.isSkipped(batch.baseOffset())) {
            position.next = batch.nextOffset();
            continue;
          }
          send(position, batch);
          position.told = position.next;
          // The next turn begins with another bucket.
          positions.remove(position);
          positions.add(position);
          dropFinished();
          return true;
        }
      }
    }
    dropFinished();
    return false;
  }

  private void dropFinished() {
    for (Position position : positions) {
      if (ticket.getProgress() && !ticket.getKvScan() && position.next > position.told) {
        position.told = position.next;
        sendEnd(position, position.next);
      }
    }
    positions.removeIf(position -> position.next >= position.end);
  }

  private void send(Position position, FakeBucket.Stored batch) {
    position.next = batch.nextOffset();
    send(
        position,
        batch.baseOffset(),
        batch.nextOffset(),
        ByteString.copyFrom(batch.metadata()).asReadOnlyByteBuffer(),
        batch.body());
  }

  private void send(
      Position position, long baseOffset, long nextOffset, ByteBuffer rows, byte[] body) {
    ScanMetadata metadata =
        ScanMetadata.newBuilder()
            .setPartitionId(position.partition)
            .setBucket(position.bucket)
            .setBaseOffset(baseOffset)
            .setNextOffset(nextOffset)
            .setLeaderEpoch(cluster.bucket(position.partition, position.bucket).leaderEpoch())
            .setAppendTimeMs(1234)
            .build();
    try (OutboundFrame frame =
        OutboundFrame.of(null, rows, metadata, Unpooled.wrappedBuffer(body))) {
      call.sendMessage(frame);
    }
  }
}
