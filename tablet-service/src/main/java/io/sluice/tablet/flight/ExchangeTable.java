package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.partition.PartitionCache;
import io.sluice.format.partition.PartitionKeys;
import io.sluice.protocol.flight.v1.Lookup;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.tablet.flight.TableDirectory.Located;
import io.sluice.tablet.kv.PrefixRows;
import io.sluice.tablet.lookup.InsertingRead;
import io.sluice.tablet.lookup.KeyRouting;
import io.sluice.tablet.lookup.RowLookups;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * The table that one exchange asks, its partitions, and its buckets wherever they are led; what can
 * pass is tried again for a while. Blocks for a bounded time. One owner, not thread-safe.
 */
final class ExchangeTable implements PartitionCache.Source<Long> {
  private static final long NO_SUCH_PARTITION = -1;
  private static final long INSERT_SECONDS = 15;

  private final FlightContext context;
  private final TableDirectory directory;
  private final PeerLookups peers;
  private final LookupKind kind;
  private final int limit;
  private final KeyRouting routing;
  private final @Nullable PartitionCache<Long> partitions;
  private Located table;

  /**
   * Looks the table up.
   *
   * @throws SluiceException TABLE_NOT_FOUND; UNSUPPORTED for a log table, and for prefixes that its
   *     bucket key does not allow; INVALID_ARGUMENT for a command that contradicts itself
   */
  ExchangeTable(FlightContext context, TableDirectory directory, PeerLookups peers, Lookup lookup) {
    this.context = context;
    this.directory = directory;
    this.peers = peers;
    this.kind = kind(lookup);
    this.limit = lookup.getLimit();
    this.table = directory.locate(new TablePath(lookup.getDatabase(), lookup.getTable()));
    this.routing =
        kind == LookupKind.LOOKUP_PREFIX
            ? KeyRouting.ofPrefixes(
                table.path(),
                table.schema(),
                table.partitionKeys(),
                table.bucketKey(),
                table.bucketCount())
            : KeyRouting.of(table.path(), table.schema(), table.bucketKey(), table.bucketCount());
    this.partitions =
        table.partitioned()
            ? new PartitionCache<>(
                PartitionKeys.of(routing.keySchema(), table.partitionKeys()), this)
            : null;
  }

  private static LookupKind kind(Lookup lookup) {
    if (lookup.getPrefix() && lookup.getInsertIfAbsent()) {
      throw wrong("has both prefix and insert_if_absent; a prefix names no row that could be made");
    }
    if (lookup.getLimit() < 0 || (lookup.getLimit() > 0 && !lookup.getPrefix())) {
      throw wrong(
          "has limit "
              + lookup.getLimit()
              + "; a limit goes with prefix only, and is 0 for all rows or more");
    }
    if (lookup.getPrefix()) {
      return LookupKind.LOOKUP_PREFIX;
    }
    return lookup.getInsertIfAbsent() ? LookupKind.LOOKUP_INSERT_IF_ABSENT : LookupKind.LOOKUP_ROW;
  }

  private static SluiceException wrong(String what) {
    return new SluiceException(ErrorCode.INVALID_ARGUMENT, "The command lookup " + what);
  }

  LookupKind kind() {
    return kind;
  }

  /** The table as it was found last. */
  Located located() {
    return table;
  }

  /** The columns and the encoding of the keys, or of the prefixes. */
  KeyRouting routing() {
    return routing;
  }

  /** Forgets partitions: one that was missing may be made meanwhile, one that was there dropped. */
  void beginBatch() {
    if (partitions != null) {
      partitions.clear();
    }
  }

  /**
   * The bucket of a key, null when its partition does not exist.
   *
   * @param number of the bucket in its partition
   */
  @Nullable TableBucket bucket(VectorSchemaRoot keys, int row, int number) {
    long partition = partitions == null ? TableBucket.NO_PARTITION : partitions.find(keys, row);
    return partition == NO_SUCH_PARTITION ? null : table.bucket(partition, number);
  }

  /** The partition of these values, asked for again, or made, when it was not there before. */
  @Override
  public Long partition(List<String> values) {
    Long known = partition(table, values);
    if (known == null) {
      relocate();
      known = partition(table, values);
    }
    if (known != null) {
      return known;
    }
    return kind == LookupKind.LOOKUP_INSERT_IF_ABSENT ? create(values) : NO_SUCH_PARTITION;
  }

  private static @Nullable Long partition(Located located, List<String> values) {
    for (Map.Entry<Long, List<String>> each : located.partitions().entrySet()) {
      if (each.getValue().equals(values)) {
        return each.getKey();
      }
    }
    return null;
  }

  private long create(List<String> values) {
    CreatePartitionRequest request =
        CreatePartitionRequest.newBuilder()
            .setDatabase(table.path().database())
            .setTable(table.path().table())
            .setTableId(table.tableId())
            .addAllValues(values)
            .setIgnoreIfExists(true)
            .build();
    PartitionInfo created = directory.metadata().change(stub -> stub.createPartition(request));
    relocate();
    if (table.info() != null) {
      directory.awaitArrival(table.info(), created.getPartitionId());
    }
    return created.getPartitionId();
  }

  private void relocate() {
    Located now = directory.locate(table.path());
    if (now.tableId() != table.tableId()) {
      throw new SluiceException(
          ErrorCode.TABLE_CHANGED,
          "Table " + table.path() + " was dropped and created again; open another exchange");
    }
    table = now;
  }

  /**
   * What the bucket's leader answers.
   *
   * @throws SluiceException what it refuses
   */
  LookupAnswer ask(TableBucket bucket, List<byte[]> keys) {
    long deadline = context.clock().nanoTime() + context.settings().putTimeout().toNanos();
    TableBucket asked = bucket;
    while (true) {
      try {
        return askOnce(asked, keys);
      } catch (SluiceException e) {
        if (e.code() == ErrorCode.PARTITION_NOT_FOUND) {
          TableBucket again = afterDrop(asked);
          if (again == null) {
            return nothing(keys.size());
          }
          asked = again;
        } else if (!e.code().retriable() && e.code() != ErrorCode.BUCKET_NOT_FOUND) {
          throw e;
        }
        if (context.clock().nanoTime() - deadline >= 0) {
          throw e;
        }
        directory.pause();
        relocate();
      }
    }
  }

  /** The partition was dropped with its rows; one of the same values may have been made since. */
  private @Nullable TableBucket afterDrop(TableBucket bucket) {
    List<String> values = table.partitions().get(bucket.partitionId());
    relocate();
    if (values == null || table.partitions().containsKey(bucket.partitionId())) {
      // Still there for the coordinator: the server that was asked may not have heard of it.
      return values == null ? null : bucket;
    }
    long now = partition(values);
    return now == NO_SUCH_PARTITION ? null : table.bucket(now, bucket.bucket());
  }

  private LookupAnswer nothing(int keys) {
    return kind == LookupKind.LOOKUP_PREFIX
        ? new LookupAnswer(0, List.of(), Collections.nCopies(keys, 0), List.of(), null)
        : LookupAnswer.rows(0, Collections.nCopies(keys, null));
  }

  private LookupAnswer askOnce(TableBucket bucket, List<byte[]> keys) {
    String leader = table.leaderAddress(bucket);
    if (leader != null && table.leader(bucket) != directory.serverId()) {
      return peers.ask(leader, bucket, kind, keys, table.schema().schemaId(), limit);
    }
    RowLookups lookups = context.lookups();
    return switch (kind) {
      case LOOKUP_PREFIX -> {
        PrefixRows rows = lookups.readPrefixes(bucket, keys, limit);
        yield new LookupAnswer(0, rows.values(), rows.counts(), List.of(), null);
      }
      case LOOKUP_INSERT_IF_ABSENT -> readOrInsert(lookups.readOrInsert(bucket, keys));
      case LOOKUP_ROW, UNRECOGNIZED -> LookupAnswer.rows(0, lookups.read(bucket, keys));
    };
  }

  private LookupAnswer readOrInsert(InsertingRead read) {
    try {
      while (!read.isComplete()) {
        CountDownLatch made = new CountDownLatch(1);
        read.make(made::countDown);
        if (!made.await(INSERT_SECONDS, TimeUnit.SECONDS)) {
          throw new SluiceException(
              ErrorCode.TIMEOUT,
              "Rows of "
                  + table.path()
                  + " were not made within "
                  + INSERT_SECONDS
                  + " s; whether they will be is not known");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping", e);
    }
    return new LookupAnswer(0, read.values(), List.of(), read.missing(), null);
  }
}
