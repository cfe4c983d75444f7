package io.sluice.client.internal;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.grpc.stub.StreamObserver;
import io.sluice.client.BucketDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.flight.v1.BucketOffsets;
import io.sluice.protocol.flight.v1.BucketWriterState;
import io.sluice.protocol.flight.v1.ListOffsetsRequest;
import io.sluice.protocol.flight.v1.ListOffsetsResponse;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.protocol.flight.v1.WriterStateRequest;
import io.sluice.protocol.flight.v1.WriterStateResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;

/**
 * Questions to the leaders of a table's buckets, asked until each bucket's leader has answered:
 * moved leaders are looked up again. Blocks its callers within the request time-out. Thread-safe.
 */
public final class Leaders {
  private static final long ATTEMPT_SECONDS = 10;

  private final Channels channels;
  private final Tables tables;
  private final long timeoutNanos;
  private final TimeSource time;

  Leaders(Channels channels, Tables tables, Duration timeout, TimeSource time) {
    this.channels = channels;
    this.tables = tables;
    this.timeoutNanos = timeout.toNanos();
    this.time = time;
  }

  /** The offsets of these buckets, with the offset asked for. */
  public Map<Integer, BucketOffsets> listOffsets(
      TableDescription table, Collection<Integer> buckets, StartAt at, long timestampMs) {
    return askAll(
        table,
        buckets,
        "Listing offsets of " + table.path(),
        some ->
            action(
                "list-offsets",
                ListOffsetsRequest.newBuilder()
                    .setDatabase(table.path().database())
                    .setTable(table.path().table())
                    .addAllBuckets(some)
                    .setAt(at)
                    .setTimestampMs(timestampMs)
                    .build()),
        bytes -> {
          Map<Integer, BucketOffsets> offsets = new HashMap<>();
          WireMessages.parse(bytes, ListOffsetsResponse.getDefaultInstance())
              .getBucketsList()
              .forEach(each -> offsets.put(each.getBucket(), each));
          return offsets;
        });
  }

  /** The last sequence of the writer in each bucket, -1 for none; fences lower epochs. */
  Map<Integer, Long> writerStates(TableDescription table, long writerId, int writerEpoch) {
    List<Integer> all = new ArrayList<>();
    table.buckets().forEach(bucket -> all.add(bucket.bucket()));
    return askAll(
        table,
        all,
        "Reading the writer's state in " + table.path(),
        some ->
            action(
                "writer-state",
                WriterStateRequest.newBuilder()
                    .setTableId(table.tableId())
                    .setWriterId(writerId)
                    .setWriterEpoch(writerEpoch)
                    .addAllBuckets(some)
                    .build()),
        bytes -> {
          Map<Integer, Long> sequences = new HashMap<>();
          for (BucketWriterState each :
              WireMessages.parse(bytes, WriterStateResponse.getDefaultInstance())
                  .getBucketsList()) {
            sequences.put(each.getBucket(), each.getLastSequence());
          }
          return sequences;
        });
  }

  private static Flight.Action action(String type, Message body) {
    return Flight.Action.newBuilder().setType(type).setBody(body.toByteString()).build();
  }

  private <R> Map<Integer, R> askAll(
      TableDescription table,
      Collection<Integer> buckets,
      String what,
      Function<List<Integer>, Flight.Action> question,
      Function<ByteString, Map<Integer, R>> answers) {
    long deadline = time.nanoTime() + timeoutNanos;
    Map<Integer, R> found = new TreeMap<>();
    TableDescription current = table;
    SluiceException last = null;
    for (int failures = 0; ; failures++) {
      if (failures > 0) {
        long pause = Backoff.pauseNanos(failures);
        if (last != null && deadline - time.nanoTime() < pause) {
          throw Waits.rethrown(last);
        }
        Waits.pause(pause, what);
        current = reload(table);
      }
      Set<Integer> missing = new HashSet<>(buckets);
      missing.removeAll(found.keySet());
      last = askLeaders(current, missing, what, question, answers, found);
      if (found.keySet().containsAll(buckets)) {
        return found;
      }
      if (last != null && !mayBeTransient(last)) {
        throw Waits.rethrown(last);
      }
    }
  }

  /** Asks each leader once; returns a failure when not all have answered. */
  private <R> SluiceException askLeaders(
      TableDescription table,
      Set<Integer> buckets,
      String what,
      Function<List<Integer>, Flight.Action> question,
      Function<ByteString, Map<Integer, R>> answers,
      Map<Integer, R> found) {
    SluiceException failure =
        new SluiceException(
            ErrorCode.UNAVAILABLE, what + ": buckets " + buckets + " have no leader now");
    Map<String, CompletableFuture<ByteString>> asked = new HashMap<>();
    byLeader(table, buckets)
        .forEach((address, some) -> asked.put(address, ask(address, question.apply(some))));
    for (Map.Entry<String, CompletableFuture<ByteString>> each : asked.entrySet()) {
      try {
        long limit = TimeUnit.SECONDS.toNanos(ATTEMPT_SECONDS + 1);
        found.putAll(answers.apply(Waits.await(each.getValue(), limit, what)));
      } catch (SluiceException e) {
        failure =
            new SluiceException(
                e.code(),
                what + " failed at server " + each.getKey() + ": " + e.getMessage(),
                e.details(),
                e);
      }
    }
    return failure;
  }

  /** The buckets that have a leader, by its address. */
  static Map<String, List<Integer>> byLeader(TableDescription table, Collection<Integer> buckets) {
    Map<String, List<Integer>> groups = new TreeMap<>();
    for (BucketDescription bucket : table.buckets()) {
      String leader = bucket.leaderAddress();
      if (leader != null && buckets.contains(bucket.bucket())) {
        groups.computeIfAbsent(leader, each -> new ArrayList<>()).add(bucket.bucket());
      }
    }
    return groups;
  }

  /**
   * Whether another try may pass. A server that has just started may not know the table or its role
   * yet; whether the table is gone the coordinator says.
   */
  static boolean mayBeTransient(SluiceException failure) {
    return failure.code().retriable()
        || failure.code() == ErrorCode.TABLE_CHANGED
        || failure.code() == ErrorCode.TABLE_NOT_FOUND
        || failure.code() == ErrorCode.BUCKET_NOT_FOUND;
  }

  private TableDescription reload(TableDescription table) {
    TableDescription current = tables.load(table.path());
    requireSame(table, current);
    return current;
  }

  /** TABLE_CHANGED when the name now belongs to another table. */
  static void requireSame(TableDescription table, TableDescription current) {
    if (current.tableId() != table.tableId()) {
      throw changed(table.path(), table.tableId());
    }
  }

  static SluiceException changed(TablePath path, long tableId) {
    return new SluiceException(
        ErrorCode.TABLE_CHANGED,
        "Table "
            + path
            + " with id "
            + tableId
            + " was dropped; open the table again for the one that may have taken its name");
  }

  private CompletableFuture<ByteString> ask(String address, Flight.Action action) {
    CompletableFuture<ByteString> answer = new CompletableFuture<>();
    FlightServiceGrpc.newStub(channels.control(address))
        .withDeadlineAfter(ATTEMPT_SECONDS, TimeUnit.SECONDS)
        .doAction(
            action,
            new StreamObserver<Flight.Result>() {
              @Override
              public void onNext(Flight.Result result) {
                answer.complete(result.getBody());
              }

              @Override
              public void onError(Throwable failure) {
                answer.completeExceptionally(StatusMapping.fromStatus(failure));
              }

              @Override
              public void onCompleted() {
                answer.completeExceptionally(
                    new SluiceException(
                        ErrorCode.INTERNAL, "Action " + action.getType() + " had no result"));
              }
            });
    return answer;
  }
}
