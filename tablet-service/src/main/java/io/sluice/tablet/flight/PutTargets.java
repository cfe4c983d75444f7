package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.Acks;
import io.sluice.protocol.flight.v1.BucketWriterState;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.WriterStateRequest;
import io.sluice.protocol.flight.v1.WriterStateResponse;
import io.sluice.tablet.flight.TableDirectory.Located;
import io.sluice.tablet.replica.AppendCallback;
import io.sluice.tablet.replica.AppendRequest;
import io.sluice.tablet.replica.Replica;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight.Action;
import org.apache.arrow.flight.impl.Flight.Result;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the batches of one upload go: into a replica here, or on a put stream to the tablet that
 * leads the bucket. Remembers the leaders it learns from refusals, and asks the coordinator when a
 * refusal does not say who leads now. Thread-safe.
 */
final class PutTargets implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PutTargets.class);
  private static final String LEADER_DETAIL = "leader";
  private static final long WRITER_STATE_SECONDS = 10;

  private final PutContext context;
  private final Located table;
  private final NativePut put;
  private final @Nullable String[] addresses;
  private final boolean[] moved;
  private final Map<String, PeerPut> streams = new HashMap<>();
  private boolean closed;

  /**
   * @param put command of the streams to other tablets
   */
  PutTargets(PutContext context, Located table, NativePut put) {
    this.context = context;
    this.table = table;
    this.put = put;
    this.addresses = new String[table.bucketCount()];
    this.moved = new boolean[table.bucketCount()];
    for (int bucket = 0; bucket < addresses.length; bucket++) {
      boolean here = table.leader(bucket) == context.directory().serverId();
      addresses[bucket] = here ? null : table.leaderAddress(bucket);
    }
  }

  /** A put into a primary-key table is answered when lookups see it, never earlier. */
  static void checkAcks(TablePath path, Acks acks) {
    if (acks == Acks.ACKS_LEADER) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "acks is ACKS_LEADER, which only log tables take; "
              + path
              + " has a primary key, use ACKS_ALL");
    }
  }

  /** Hands the batch to its bucket's leader; the callback runs exactly once, on any thread. */
  void append(EncodedBatch batch, int bucket, long ackedThrough, AppendCallback callback) {
    AppendCallback learning = learning(bucket, callback);
    try {
      String address = address(bucket);
      if (address != null) {
        stream(address).put(batch, bucket, ackedThrough, learning);
        return;
      }
      Replica replica = context.directory().replicas().require(table.bucket(bucket));
      replica.requireLeader();
      replica.append(
          new AppendRequest(
              batch.header(),
              batch.sections(),
              put.getTargetColumnsList(),
              ackedThrough,
              put.getAcks() != Acks.ACKS_LEADER),
          learning);
    } catch (RuntimeException e) {
      learning.refused(StatusMapping.fromStatus(e));
    }
  }

  /**
   * The last sequence of the upload's writer in every bucket, -1 for none; lower epochs are fenced
   * from then on. Asks other tablets and blocks.
   */
  long[] writerSequences() {
    long[] last = new long[table.bucketCount()];
    Arrays.fill(last, -1);
    Map<String, List<Integer>> remote = new HashMap<>();
    for (int bucket = 0; bucket < last.length; bucket++) {
      String address = address(bucket);
      if (address == null) {
        TableBucket here = table.bucket(bucket);
        last[bucket] =
            context
                .directory()
                .replicas()
                .require(here)
                .writerSequence(put.getWriterId(), put.getWriterEpoch());
      } else {
        remote.computeIfAbsent(address, any -> new ArrayList<>()).add(bucket);
      }
    }
    remote.forEach((address, buckets) -> ask(address, buckets, last));
    return last;
  }

  private void ask(String address, List<Integer> buckets, long[] last) {
    WriterStateRequest request =
        WriterStateRequest.newBuilder()
            .setTableId(table.tableId())
            .setWriterId(put.getWriterId())
            .setWriterEpoch(put.getWriterEpoch())
            .addAllBuckets(buckets)
            .build();
    Iterator<Result> results =
        FlightServiceGrpc.newBlockingStub(context.peers().channel(address))
            .withDeadlineAfter(WRITER_STATE_SECONDS, TimeUnit.SECONDS)
            .doAction(
                Action.newBuilder()
                    .setType("writer-state")
                    .setBody(request.toByteString())
                    .build());
    if (!results.hasNext()) {
      throw new SluiceException(
          ErrorCode.UNAVAILABLE, "Tablet " + address + " did not answer writer-state");
    }
    WriterStateResponse response =
        WireMessages.parse(results.next().getBody(), WriterStateResponse.getDefaultInstance());
    for (BucketWriterState state : response.getBucketsList()) {
      last[state.getBucket()] = state.getLastSequence();
    }
  }

  private AppendCallback learning(int bucket, AppendCallback callback) {
    return new AppendCallback() {
      @Override
      public void stored(long baseOffset, boolean duplicate, int leaderEpoch) {
        callback.stored(baseOffset, duplicate, leaderEpoch);
      }

      @Override
      public void refused(SluiceException why) {
        if (why.code() == ErrorCode.NOT_LEADER || why.code() == ErrorCode.UNAVAILABLE) {
          learn(bucket, why.details().get(LEADER_DETAIL));
        }
        callback.refused(why);
      }
    };
  }

  /**
   * Sends the next try to the leader that a refusal named. One that names nobody, or only the id of
   * a server, comes from a server that has stopped leading, or has not heard of its bucket yet.
   */
  private synchronized void learn(int bucket, @Nullable String leader) {
    moved[bucket] = leader == null || leader.isEmpty();
    if (!moved[bucket]) {
      addresses[bucket] = leader;
    }
  }

  /** Whether who leads the bucket has to be {@link #ask}ed before the next try. */
  synchronized boolean mustAsk(int bucket) {
    return moved[bucket];
  }

  /**
   * Asks the coordinator who leads the bucket now; blocks. When it does not answer, or nobody
   * leads, the next try goes where the last one went.
   */
  void ask(int bucket) {
    Located now;
    try {
      now = context.directory().locate(table.path());
    } catch (SluiceException unanswered) {
      LOG.debug("The leader of {} bucket {} is not known", table.path(), bucket, unanswered);
      return;
    }
    int leader = now.leader(bucket);
    if (now.tableId() != table.tableId() || leader == 0) {
      return;
    }
    boolean here = leader == context.directory().serverId();
    String address = now.leaderAddress(bucket);
    synchronized (this) {
      moved[bucket] = false;
      addresses[bucket] = here ? null : address;
    }
  }

  private synchronized @Nullable String address(int bucket) {
    return addresses[bucket];
  }

  private synchronized PeerPut stream(String address) {
    if (closed) {
      throw new SluiceException(ErrorCode.CANCELLED, "The upload has ended");
    }
    PeerPut open = streams.get(address);
    if (open == null || open.ended()) {
      open = PeerPut.open(context.peers().channel(address), address, put);
      streams.put(address, open);
    }
    return open;
  }

  @Override
  public void close() {
    List<PeerPut> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(streams.values());
      streams.clear();
    }
    open.forEach(PeerPut::close);
  }
}
