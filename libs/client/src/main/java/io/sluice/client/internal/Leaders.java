package io.sluice.client.internal;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.grpc.stub.StreamObserver;
import io.sluice.client.BucketDescription;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
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
  /** A server that stands still is asked again, or the one that took its place. */
  private static final long ATTEMPT_SECONDS = 4;

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

  /** The offsets of these buckets of a table that is not partitioned, by bucket number. */
  public Map<Integer, BucketOffsets> listOffsets(
      TableDescription table, Collection<Integer> buckets, StartAt at, long timestampMs) {
    return byNumber(offsets(table, unpartitioned(table, buckets), at, timestampMs));
  }

  /** The offsets of these buckets, with the offset asked for. */
  public Map<TableBucket, BucketOffsets> offsets(
      TableDescription table, Collection<TableBucket> buckets, StartAt at, long timestampMs) {
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
          Map<TableBucket, BucketOffsets> offsets = new HashMap<>();
          WireMessages.parse(bytes, ListOffsetsResponse.getDefaultInstance())
              .getBucketsList()
              .forEach(
                  each ->
                      offsets.put(
                          new TableBucket(table.tableId(), each.getPartitionId(), each.getBucket()),
                          each));
          return offsets;
        });
  }

  private static List<TableBucket> unpartitioned(
      TableDescription table, Collection<Integer> buckets) {
    return buckets.stream().map(bucket -> TableBucket.of(table.tableId(), bucket)).toList();
  }

  private static <R> Map<Integer, R> byNumber(Map<TableBucket, R> found) {
    Map<Integer, R> numbered = new TreeMap<>();
    found.forEach((bucket, each) -> numbered.put(bucket.bucket(), each));
    return numbered;
  }

  /** The last sequence of the writer in each bucket, -1 for none; fences lower epochs. */
  Map<Integer, Long> writerStates(TableDescription table, long writerId, int writerEpoch) {
    List<TableBucket> all =
        table.buckets().stream().map(bucket -> bucket.tableBucket(table.tableId())).toList();
    return byNumber(writerStates(table, all, writerId, writerEpoch));
  }

  /** The last sequence of the writer in each of these buckets; fences lower epochs. */
  Map<TableBucket, Long> writerStates(
      TableDescription table, Collection<TableBucket> buckets, long writerId, int writerEpoch) {
    return askAll(
        table,
        buckets,
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
          Map<TableBucket, Long> sequences = new HashMap<>();
          for (BucketWriterState each :
              WireMessages.parse(bytes, WriterStateResponse.getDefaultInstance())
                  .getBucketsList()) {
            sequences.put(
                new TableBucket(table.tableId(), each.getPartitionId(), each.getBucket()),
                each.getLastSequence());
          }
          return sequences;
        });
  }

  private static Flight.Action action(String type, Message body) {
    return Flight.Action.newBuilder().setType(type).setBody(body.toByteString()).build();
  }

  /**
   * @param question asks about bucket numbers; about everything a server leads when there are none,
   *     as is done for partitioned tables
   */
  private <R> Map<TableBucket, R> askAll(
      TableDescription table,
      Collection<TableBucket> buckets,
      String what,
      Function<List<Integer>, Flight.Action> question,
      Function<ByteString, Map<TableBucket, R>> answers) {
    long deadline = time.nanoTime() + timeoutNanos;
    Map<TableBucket, R> found = new TreeMap<>();
    if (buckets.isEmpty()) {
      return found;
    }
    TableDescription current = table;
    SluiceException last = null;
    for (int failures = 0; ; failures++) {
      if (failures > 0) {
        long pause = last == null ? 0 : Backoff.pauseNanos(failures, last);
        if (last != null && deadline - time.nanoTime() < pause) {
          throw Waits.rethrown(last);
        }
        Waits.pause(pause, what);
        current = reload(table);
      }
      Set<TableBucket> missing = new HashSet<>(buckets);
      missing.removeAll(found.keySet());
      requirePartitions(current, missing);
      last = askLeaders(current, missing, what, question, answers, found);
      if (found.keySet().containsAll(buckets)) {
        found.keySet().retainAll(Set.copyOf(buckets));
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
      Set<TableBucket> buckets,
      String what,
      Function<List<Integer>, Flight.Action> question,
      Function<ByteString, Map<TableBucket, R>> answers,
      Map<TableBucket, R> found) {
    SluiceException failure =
        new SluiceException(
            ErrorCode.UNAVAILABLE, what + ": buckets " + buckets + " have no leader now");
    Map<String, CompletableFuture<ByteString>> asked = new HashMap<>();
    ledBuckets(table, buckets)
        .forEach(
            (address, some) ->
                asked.put(
                    address,
                    ask(
                        address,
                        question.apply(
                            table.partitioned()
                                ? List.of()
                                : some.stream().map(TableBucket::bucket).toList()))));
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
  static Map<String, List<TableBucket>> ledBuckets(
      TableDescription table, Collection<TableBucket> buckets) {
    Map<String, List<TableBucket>> groups = new TreeMap<>();
    for (BucketDescription bucket : table.buckets()) {
      String leader = bucket.leaderAddress();
      TableBucket id = bucket.tableBucket(table.tableId());
      if (leader != null && buckets.contains(id)) {
        groups.computeIfAbsent(leader, each -> new ArrayList<>()).add(id);
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

  /** PARTITION_NOT_FOUND when a bucket's partition is gone: it will not have a leader again. */
  private static void requirePartitions(TableDescription current, Set<TableBucket> buckets) {
    if (!current.partitioned()) {
      return;
    }
    Set<Long> there = new HashSet<>();
    current.partitions().forEach(each -> there.add(each.partitionId()));
    for (TableBucket bucket : buckets) {
      if (!there.contains(bucket.partitionId())) {
        throw PartitionChoice.gone(current, bucket.partitionId());
      }
    }
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
