package io.sluice.tablet.lookup;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.BatchLimits;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.error.PutErrors;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupResponse;
import io.sluice.tablet.kv.ConvertedValues;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lookup call. What has arrived while a read ran is read together, one read for each bucket. At
 * most {@link #MAX_UNANSWERED} requests are taken in ahead of their answers, none while the client
 * does not take answers. Requests arrive on the call's executor, one turn at a time runs on the
 * lookup threads and is the only one to answer.
 */
final class LookupStream implements StreamObserver<LookupRequest>, Runnable {
  private static final Logger log = LoggerFactory.getLogger(LookupStream.class);
  private static final int MAX_UNANSWERED = 256;
  private static final int MAX_KEYS = 16 * 1024;

  private final RowLookups lookups;
  private final ServerCallStreamObserver<LookupResponse> answers;
  // Of the running turn.
  private final Map<Long, Routing> routings = new HashMap<>();
  private final Map<Integer, ConvertedValues> conversions = new HashMap<>();
  private @Nullable HostedTable conversionsOf;

  // Guarded by this.
  private List<LookupRequest> queued = new ArrayList<>();
  private int deferred;
  private boolean running;
  private boolean ended;

  /** The routing of a table as it was described then. */
  private record Routing(HostedTable table, KeyRouting keys) {}

  LookupStream(RowLookups lookups, ServerCallStreamObserver<LookupResponse> answers) {
    this.lookups = lookups;
    this.answers = answers;
  }

  /** Begins to take requests; inside of the call's start. */
  void open() {
    answers.disableAutoRequest();
    answers.setOnReadyHandler(this::ready);
    answers.setOnCancelHandler(this::cancelled);
    answers.request(MAX_UNANSWERED);
  }

  @Override
  public void onNext(LookupRequest request) {
    synchronized (this) {
      queued.add(request);
      if (running) {
        return;
      }
      running = true;
    }
    try {
      lookups.threads().execute(this);
    } catch (RejectedExecutionException e) {
      answers.onError(
          StatusMapping.toStatus(
              new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping", e)));
    }
  }

  @Override
  public void onError(Throwable gone) {
    cancelled();
  }

  private synchronized void cancelled() {
    queued.clear();
    ended = true;
  }

  @Override
  public void onCompleted() {
    synchronized (this) {
      ended = true;
      if (running) {
        return;
      }
    }
    answers.onCompleted();
  }

  private void ready() {
    int more;
    synchronized (this) {
      more = deferred;
      deferred = 0;
    }
    if (more > 0) {
      answers.request(more);
    }
  }

  @Override
  public void run() {
    while (true) {
      List<LookupRequest> batch;
      boolean last;
      synchronized (this) {
        batch = queued;
        queued = new ArrayList<>();
        last = batch.isEmpty() && ended;
        running = !batch.isEmpty();
      }
      if (batch.isEmpty()) {
        if (last && !answers.isCancelled()) {
          answers.onCompleted();
        }
        return;
      }
      answer(batch);
      takeMore(batch.size());
    }
  }

  private void takeMore(int requests) {
    if (answers.isReady()) {
      answers.request(requests);
      return;
    }
    synchronized (this) {
      deferred += requests;
    }
    if (answers.isReady()) {
      // It became ready before it could see what was deferred.
      ready();
    }
  }

  private void answer(List<LookupRequest> batch) {
    Map<TableBucket, List<LookupRequest>> byBucket = new LinkedHashMap<>();
    for (LookupRequest request : batch) {
      if (request.getTableId() < 1 || request.getBucket() < 0 || request.getPartitionId() < 0) {
        refuse(
            request,
            new SluiceException(
                ErrorCode.INVALID_ARGUMENT,
                "A lookup names table id "
                    + request.getTableId()
                    + ", partition id "
                    + request.getPartitionId()
                    + ", bucket "
                    + request.getBucket()));
        continue;
      }
      byBucket
          .computeIfAbsent(
              new TableBucket(request.getTableId(), request.getPartitionId(), request.getBucket()),
              any -> new ArrayList<>())
          .add(request);
    }
    byBucket.forEach(this::answer);
  }

  private void answer(TableBucket bucket, List<LookupRequest> requests) {
    // Every request is here until it is answered.
    List<LookupRequest> open = new ArrayList<>(requests);
    try {
      Replica replica = lookups.replica(bucket);
      replica.requireLeader();
      KeyRouting routing = routing(replica.table());
      List<byte[]> keys = new ArrayList<>();
      open.removeIf(request -> !addKeys(request, routing, keys));
      List<byte @Nullable []> values = lookups.read(replica, keys);
      int from = 0;
      for (LookupRequest request : List.copyOf(open)) {
        int to = from + request.getKeysCount();
        open.remove(0);
        answer(request, replica.table(), values.subList(from, to));
        from = to;
      }
    } catch (RuntimeException e) {
      SluiceException failure = StatusMapping.fromStatus(e);
      if (failure.code() == ErrorCode.INTERNAL) {
        log.error("Lookups in {} failed", bucket, e);
      }
      open.forEach(request -> refuse(request, failure));
    }
  }

  /** Gives the rows in the schema that the request asks for. */
  private void answer(LookupRequest request, HostedTable table, List<byte @Nullable []> values) {
    try {
      send(request, inSchema(request.getSchemaId(), table, values));
    } catch (SluiceException wrong) {
      refuse(request, wrong);
    }
  }

  private List<byte @Nullable []> inSchema(
      int schemaId, HostedTable table, List<byte @Nullable []> values) {
    if (schemaId == 0) {
      return values;
    }
    if (schemaId > table.schema().schemaId()) {
      throw new SluiceException(
          ErrorCode.LEADER_NOT_READY,
          "Schema " + schemaId + " of " + table.path() + " has not arrived at this server yet");
    }
    ConvertedValues known = conversions.get(schemaId);
    if (known == null || conversionsOf != table) {
      conversions.clear();
      conversionsOf = table;
      known = new ConvertedValues(schemas(table), table.schema(schemaId));
      conversions.put(schemaId, known);
    }
    List<byte @Nullable []> converted = new ArrayList<>(values.size());
    for (byte[] value : values) {
      converted.add(value == null ? null : known.convert(value));
    }
    return converted;
  }

  private static KvSchemas schemas(HostedTable table) {
    return new KvSchemas() {
      @Override
      public TableSchema current() {
        return table.schema();
      }

      @Override
      public TableSchema schema(int schemaId) {
        return table.schema(schemaId);
      }
    };
  }

  /** Adds the request's keys; refuses it and returns false when one of them is wrong. */
  private boolean addKeys(LookupRequest request, KeyRouting routing, List<byte[]> keys) {
    try {
      keys.addAll(keys(request, routing));
      return true;
    } catch (SluiceException wrong) {
      refuse(request, wrong);
      return false;
    }
  }

  private KeyRouting routing(HostedTable table) {
    Routing known = routings.get(table.tableId());
    if (known == null || known.table() != table) {
      known =
          new Routing(
              table,
              KeyRouting.of(table.path(), table.schema(), table.bucketKey(), table.bucketCount()));
      routings.put(table.tableId(), known);
    }
    return known.keys();
  }

  private static List<byte[]> keys(LookupRequest request, KeyRouting routing) {
    if (request.getKeysCount() > MAX_KEYS) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "A lookup has " + request.getKeysCount() + " keys; the limit is " + MAX_KEYS);
    }
    List<byte[]> keys = new ArrayList<>(request.getKeysCount());
    for (ByteString each : request.getKeysList()) {
      byte[] key = each.toByteArray();
      routing.check(key, request.getBucket());
      keys.add(key);
    }
    return keys;
  }

  private void send(LookupRequest request, List<byte @Nullable []> values) {
    LookupResponse.Builder response =
        LookupResponse.newBuilder().setRequestId(request.getRequestId());
    long bytes = 0;
    for (byte[] value : values) {
      bytes += value == null ? 0 : value.length;
      response.addValues(value == null ? ByteString.EMPTY : UnsafeByteOperations.unsafeWrap(value));
    }
    if (bytes > BatchLimits.MAX_SINGLE_ROW_BYTES && values.size() > 1) {
      refuse(
          request,
          new SluiceException(
              ErrorCode.BATCH_TOO_LARGE,
              "The rows of "
                  + values.size()
                  + " keys take "
                  + bytes
                  + " bytes; the limit is "
                  + BatchLimits.MAX_SINGLE_ROW_BYTES
                  + ", look fewer keys up at once"));
      return;
    }
    send(response.build());
  }

  private void refuse(LookupRequest request, SluiceException why) {
    send(
        LookupResponse.newBuilder()
            .setRequestId(request.getRequestId())
            .setError(PutErrors.toPutError(why))
            .build());
  }

  private void send(LookupResponse response) {
    if (!answers.isCancelled()) {
      answers.onNext(response);
    }
  }
}
