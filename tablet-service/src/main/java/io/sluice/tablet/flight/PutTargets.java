package io.sluice.tablet.flight;

import io.grpc.StatusRuntimeException;
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
import java.util.Collection;
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
  private final NativePut put;

  // Guarded by this.
  private final Map<TableBucket, Place> places = new HashMap<>();
  private Located table;
  private final Map<String, PeerPut> streams = new HashMap<>();
  private boolean closed;

  /**
   * @param put command of the streams to other tablets
   */
  PutTargets(PutContext context, Located table, NativePut put) {
    this.context = context;
    this.table = table;
    this.put = put;
  }

  /** Where a bucket is led, as far as is known. */
  private static final class Place {
    /** {@code host:port}, null when it is led here. */
    private @Nullable String address;

    /** Whether it is not led there any more and who leads it has to be asked. */
    private boolean moved;

    Place(@Nullable String address) {
      this.address = address;
    }
  }

  /** Takes over what was learned of the table: it has more partitions than before. */
  synchronized void located(Located now) {
    table = now;
  }

  private Place place(TableBucket bucket) {
    Place place = places.get(bucket);
    if (place == null) {
      place = new Place(addressOf(table, bucket));
      places.put(bucket, place);
    }
    return place;
  }

  private @Nullable String addressOf(Located located, TableBucket bucket) {
    boolean here = located.leader(bucket) == context.directory().serverId();
    return here ? null : located.leaderAddress(bucket);
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
  void append(EncodedBatch batch, TableBucket bucket, long ackedThrough, AppendCallback callback) {
    AppendCallback learning = learning(bucket, callback);
    try {
      String address = address(bucket);
      if (address != null) {
        stream(address).put(batch, bucket, ackedThrough, learning);
        return;
      }
      Replica replica = context.directory().replicas().require(bucket);
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
      learning.refused(Refusals.of(e));
    }
  }

  /**
   * The last sequence of the upload's writer in each of these buckets, -1 for none; lower epochs
   * are fenced there from then on. Asks other tablets and blocks; tries again for a short time
   * while a server has not heard of its buckets yet.
   */
  Map<TableBucket, Long> writerSequences(Collection<TableBucket> buckets) {
    long deadline = context.clock().nanoTime() + TableDirectory.ARRIVAL.toNanos();
    while (true) {
      try {
        return askForSequences(buckets);
      } catch (SluiceException e) {
        boolean mayPass = e.code().retriable() || e.code() == ErrorCode.TABLE_CHANGED;
        if (!mayPass || context.clock().nanoTime() - deadline >= 0) {
          throw e;
        }
        LOG.debug("The writer's state is not known yet", e);
        context.directory().pause();
        buckets.forEach(this::ask);
      }
    }
  }

  private Map<TableBucket, Long> askForSequences(Collection<TableBucket> buckets) {
    Map<TableBucket, Long> last = new HashMap<>();
    Map<String, List<TableBucket>> remote = new HashMap<>();
    for (TableBucket bucket : buckets) {
      String address = address(bucket);
      if (address == null) {
        last.put(
            bucket,
            context
                .directory()
                .replicas()
                .require(bucket)
                .writerSequence(put.getWriterId(), put.getWriterEpoch()));
      } else {
        remote.computeIfAbsent(address, any -> new ArrayList<>()).add(bucket);
      }
    }
    remote.forEach((address, some) -> ask(address, some, last));
    return last;
  }

  private void ask(String address, List<TableBucket> buckets, Map<TableBucket, Long> last) {
    WriterStateRequest.Builder request =
        WriterStateRequest.newBuilder()
            .setTableId(put.getTableId())
            .setWriterId(put.getWriterId())
            .setWriterEpoch(put.getWriterEpoch());
    if (buckets.get(0).partitionId() == TableBucket.NO_PARTITION) {
      buckets.forEach(bucket -> request.addBuckets(bucket.bucket()));
    }
    Iterator<Result> results =
        FlightServiceGrpc.newBlockingStub(context.peers().channel(address))
            .withDeadlineAfter(WRITER_STATE_SECONDS, TimeUnit.SECONDS)
            .doAction(
                Action.newBuilder()
                    .setType("writer-state")
                    .setBody(request.build().toByteString())
                    .build());
    WriterStateResponse response = first(address, results);
    for (BucketWriterState state : response.getBucketsList()) {
      last.put(
          new TableBucket(put.getTableId(), state.getPartitionId(), state.getBucket()),
          state.getLastSequence());
    }
    for (TableBucket bucket : buckets) {
      if (!last.containsKey(bucket)) {
        throw new SluiceException(
            ErrorCode.NOT_LEADER, "Tablet " + address + " does not lead bucket " + bucket);
      }
    }
  }

  private static WriterStateResponse first(String address, Iterator<Result> results) {
    try {
      if (results.hasNext()) {
        return WireMessages.parse(
            results.next().getBody(), WriterStateResponse.getDefaultInstance());
      }
    } catch (StatusRuntimeException e) {
      throw StatusMapping.fromStatus(e);
    }
    throw new SluiceException(
        ErrorCode.UNAVAILABLE, "Tablet " + address + " did not answer writer-state");
  }

  private AppendCallback learning(TableBucket bucket, AppendCallback callback) {
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
  private synchronized void learn(TableBucket bucket, @Nullable String leader) {
    Place place = place(bucket);
    place.moved = leader == null || leader.isEmpty();
    if (!place.moved) {
      place.address = leader;
    }
  }

  /** Whether who leads the bucket has to be {@link #ask}ed before the next try. */
  synchronized boolean mustAsk(TableBucket bucket) {
    return place(bucket).moved;
  }

  /**
   * Asks the coordinator who leads the bucket now; blocks. When it does not answer, or nobody
   * leads, the next try goes where the last one went.
   */
  void ask(TableBucket bucket) {
    Located now;
    try {
      now = context.directory().locate(path());
    } catch (SluiceException unanswered) {
      LOG.debug("The leader of bucket {} is not known", bucket, unanswered);
      return;
    }
    if (now.tableId() != put.getTableId() || now.leader(bucket) == 0) {
      return;
    }
    synchronized (this) {
      Place place = place(bucket);
      place.moved = false;
      place.address = addressOf(now, bucket);
    }
  }

  private synchronized TablePath path() {
    return table.path();
  }

  private synchronized @Nullable String address(TableBucket bucket) {
    return place(bucket).address;
  }

  private synchronized PeerPut stream(String address) {
    if (closed) {
      throw new SluiceException(ErrorCode.CANCELLED, "The upload has ended");
    }
    PeerPut open = streams.get(address);
    if (open == null || open.ended()) {
      open = PeerPut.open(context.peers().channel(address), address, put, context);
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
