package io.sluice.client.fake;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.PutErrors;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.FlightFrame;
import io.sluice.protocol.flight.FlightFrames;
import io.sluice.protocol.flight.FlightMethods;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.BucketOffsets;
import io.sluice.protocol.flight.v1.BucketWriterState;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.ListOffsetsRequest;
import io.sluice.protocol.flight.v1.ListOffsetsResponse;
import io.sluice.protocol.flight.v1.PutAnswer;
import io.sluice.protocol.flight.v1.PutMetadata;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.protocol.flight.v1.WriterStateRequest;
import io.sluice.protocol.flight.v1.WriterStateResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.memory.BufferAllocator;

/** A tablet server of the fake cluster. */
public final class FakeTablet implements AutoCloseable {
  private final int id;
  private final FakeCluster cluster;
  private final BufferAllocator allocator;
  private final AtomicInteger puts = new AtomicInteger();
  private final AtomicInteger putStreams = new AtomicInteger();
  private final AtomicInteger scans = new AtomicInteger();
  private final FakeLookups lookups;
  private final List<Runnable> held = Collections.synchronizedList(new ArrayList<>());
  private Server server;
  private volatile int port;

  FakeTablet(int id, FakeCluster cluster, BufferAllocator allocator) {
    this.id = id;
    this.cluster = cluster;
    this.allocator = allocator;
    this.lookups = new FakeLookups(this, cluster);
  }

  public int id() {
    return id;
  }

  public int port() {
    return port;
  }

  /** Put messages received. */
  public int puts() {
    return puts.get();
  }

  /** Put streams opened. */
  public int putStreams() {
    return putStreams.get();
  }

  /** Lookup requests received. */
  public int lookupRequests() {
    return lookups.requests();
  }

  /** Scans opened. */
  public int scans() {
    return scans.get();
  }

  /** Starts on a free port, another one than before: its clients have to look it up. */
  public void start() {
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
              .maxInboundMessageSize(FlightFrames.MAX_MESSAGE_BYTES)
              .flowControlWindow(4 << 20)
              .addService(lookups)
              .addService(
                  FlightMethods.replaceIn(
                      new Actions().bindService(),
                      ServerMethodDefinition.create(
                          FlightMethods.doPutServer(allocator, FlightFrames.MAX_MESSAGE_BYTES),
                          this::startPut),
                      ServerMethodDefinition.create(FlightMethods.doGetServer(), this::startGet)))
              .build()
              .start();
      port = server.getPort();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Stops at once: connections break. */
  public void stop() {
    try {
      server.shutdownNow().awaitTermination();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  void hold(Runnable answer) {
    held.add(answer);
  }

  /** Answers that are held back. */
  public int heldAnswers() {
    return held.size();
  }

  /** Sends the answers held back, the last one first. */
  public void releaseAnswers() {
    List<Runnable> answers;
    synchronized (held) {
      answers = new ArrayList<>(held);
      held.clear();
    }
    Collections.reverse(answers);
    answers.forEach(Runnable::run);
  }

  @Override
  public void close() {
    stop();
  }

  /** The bucket; NOT_LEADER when another tablet leads it. */
  FakeBucket led(int number) {
    return led(0, number);
  }

  /** The bucket of a partition; NOT_LEADER or PARTITION_NOT_FOUND. */
  FakeBucket led(long partitionId, int number) {
    FakeBucket bucket = cluster.bucket(partitionId, number);
    if (bucket.leader() != id) {
      throw new SluiceException(
          ErrorCode.NOT_LEADER,
          "Tablet " + id + " does not lead bucket " + number,
          cluster.tabletsNameLeaders()
              ? Map.of("leader", "127.0.0.1:" + cluster.tablet(bucket.leader()).port())
              : Map.of(),
          null);
    }
    return bucket;
  }

  private ServerCall.Listener<FlightFrame> startPut(
      ServerCall<FlightFrame, Flight.PutResult> call, Metadata headers) {
    putStreams.incrementAndGet();
    call.sendHeaders(new Metadata());
    call.request(1);
    return new PutListener(call);
  }

  private final class PutListener extends ServerCall.Listener<FlightFrame> {
    private final ServerCall<FlightFrame, Flight.PutResult> call;
    private boolean described;
    private List<Integer> targetColumns = List.of();
    private boolean ended;

    PutListener(ServerCall<FlightFrame, Flight.PutResult> call) {
      this.call = call;
    }

    @Override
    public void onMessage(FlightFrame frame) {
      try (frame) {
        if (!ended) {
          message(frame);
        }
      } catch (StatusRuntimeException e) {
        end(e.getStatus(), e.getTrailers());
      }
      call.request(1);
    }

    private void message(FlightFrame frame) {
      if (!described) {
        Command command =
            WireMessages.parse(frame.descriptor().getCmd(), Command.getDefaultInstance());
        if (command.getNativePut().getTableId() != cluster.tableId()) {
          StatusRuntimeException changed =
              StatusMapping.toStatus(new SluiceException(ErrorCode.TABLE_CHANGED, "gone"));
          end(changed.getStatus(), changed.getTrailers());
          return;
        }
        described = true;
        targetColumns = command.getNativePut().getTargetColumnsList();
      }
      PutMetadata put = WireMessages.parse(frame.appMetadata(), PutMetadata.getDefaultInstance());
      PutFaults.Fault fault = cluster.faults().decide(id, puts.incrementAndGet(), put);
      switch (fault.kind()) {
        case REFUSE -> answer(refused(put, new SluiceException(fault.code(), "as the test asks")));
        case IGNORE -> {}
        case DROP -> end(Status.UNAVAILABLE.withDescription("dropped"), new Metadata());
        case STORE_AND_DROP -> {
          store(put, frame);
          end(Status.UNAVAILABLE.withDescription("dropped"), new Metadata());
        }
        case STORE_AND_HOLD -> {
          PutAnswer answer = store(put, frame);
          held.add(() -> answer(answer));
        }
        default -> answer(store(put, frame));
      }
    }

    private PutAnswer store(PutMetadata put, FlightFrame frame) {
      byte[] body = new byte[frame.bodyLength()];
      if (frame.body() != null) {
        frame.body().getBytes(0, body);
      }
      try {
        FakeBucket.Outcome outcome =
            led(put.getPartitionId(), put.getBucket()).append(put, frame.dataHeader(), body);
        if (!outcome.duplicate() && !cluster.schema().primaryKey().isEmpty()) {
          cluster
              .rows(put.getPartitionId(), put.getBucket())
              .put(targetColumns, put.getChangeTypes().toByteArray(), frame.dataHeader(), body);
        }
        return PutAnswer.newBuilder()
            .setRequestId(put.getRequestId())
            .setPartitionId(put.getPartitionId())
            .setBucket(put.getBucket())
            .setBaseOffset(outcome.baseOffset())
            .setRows(outcome.rows())
            .setDuplicate(outcome.duplicate())
            .build();
      } catch (SluiceException e) {
        return refused(put, e);
      }
    }

    private PutAnswer refused(PutMetadata put, SluiceException why) {
      return PutAnswer.newBuilder()
          .setRequestId(put.getRequestId())
          .setPartitionId(put.getPartitionId())
          .setBucket(put.getBucket())
          .setBaseOffset(-1)
          .setError(PutErrors.toPutError(why))
          .build();
    }

    private synchronized void answer(PutAnswer answer) {
      if (!ended && !call.isCancelled()) {
        call.sendMessage(
            Flight.PutResult.newBuilder().setAppMetadata(answer.toByteString()).build());
      }
    }

    private synchronized void end(Status status, Metadata trailers) {
      if (!ended) {
        ended = true;
        call.close(status, trailers);
      }
    }

    @Override
    public void onHalfClose() {
      end(Status.OK, new Metadata());
    }
  }

  private ServerCall.Listener<Flight.Ticket> startGet(
      ServerCall<Flight.Ticket, OutboundFrame> call, Metadata headers) {
    int number = scans.incrementAndGet();
    call.request(1);
    return new ServerCall.Listener<>() {
      private FakeScan scan;

      @Override
      public void onMessage(Flight.Ticket ticket) {
        call.sendHeaders(new Metadata());
        ScanTicket parsed = WireMessages.parse(ticket.getTicket(), ScanTicket.getDefaultInstance());
        scan = new FakeScan(cluster, call, parsed, id, cluster.scanMessages(id, number));
        scan.start();
      }

      @Override
      public void onReady() {
        if (scan != null) {
          scan.run();
        }
      }

      @Override
      public void onCancel() {
        if (scan != null) {
          scan.cancel();
        }
      }
    };
  }

  private final class Actions extends FlightServiceGrpc.FlightServiceImplBase {
    @Override
    public void doAction(Flight.Action action, StreamObserver<Flight.Result> answer) {
      try {
        ByteString body =
            switch (action.getType()) {
              case "list-offsets" -> listOffsets(action.getBody());
              case "writer-state" -> writerState(action.getBody());
              default -> throw new SluiceException(ErrorCode.NOT_FOUND, action.getType());
            };
        answer.onNext(Flight.Result.newBuilder().setBody(body).build());
        answer.onCompleted();
      } catch (SluiceException e) {
        answer.onError(StatusMapping.toStatus(e));
      }
    }

    private ByteString listOffsets(ByteString body) {
      ListOffsetsRequest request =
          WireMessages.parse(body, ListOffsetsRequest.getDefaultInstance());
      ListOffsetsResponse.Builder response = ListOffsetsResponse.newBuilder();
      cluster
          .partitions()
          .forEach(
              (partition, number, bucket) -> {
                if (bucket.leader() == id) {
                  response.addBuckets(offsets(request, bucket, partition, number));
                }
              });
      for (int number : request.getBucketsList()) {
        response.addBuckets(offsets(request, led(number), 0, number));
      }
      return response.build().toByteString();
    }

    private BucketOffsets offsets(
        ListOffsetsRequest request, FakeBucket bucket, long partition, int number) {
      long end = bucket.end();
      return BucketOffsets.newBuilder()
          .setPartitionId(partition)
          .setBucket(number)
          .setOffset(request.getAt() == StartAt.START_LATEST ? end : 0)
          .setVisible(end)
          .setStable(end)
          .setLogEnd(end)
          .setRowCount(cluster.rowCount(partition, number))
          .build();
    }

    private ByteString writerState(ByteString body) {
      WriterStateRequest request =
          WireMessages.parse(body, WriterStateRequest.getDefaultInstance());
      WriterStateResponse.Builder response = WriterStateResponse.newBuilder();
      cluster
          .partitions()
          .forEach(
              (partition, number, bucket) -> {
                if (bucket.leader() == id) {
                  response.addBuckets(
                      BucketWriterState.newBuilder()
                          .setPartitionId(partition)
                          .setBucket(number)
                          .setLastSequence(
                              bucket.lastSequence(
                                  request.getWriterId(), request.getWriterEpoch())));
                }
              });
      for (int number : request.getBucketsList()) {
        response.addBuckets(
            BucketWriterState.newBuilder()
                .setBucket(number)
                .setLastSequence(
                    led(number).lastSequence(request.getWriterId(), request.getWriterEpoch())));
      }
      return response.build().toByteString();
    }
  }
}
