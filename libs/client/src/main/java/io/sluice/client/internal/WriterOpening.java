package io.sluice.client.internal;

import io.sluice.client.Acks;
import io.sluice.client.AppendWriter;
import io.sluice.client.Bucketing;
import io.sluice.client.ClientConfig;
import io.sluice.client.TableDescription;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TableOptions;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.metadata.v1.InitWriterRequest;
import io.sluice.protocol.metadata.v1.InitWriterResponse;
import java.util.List;
import java.util.Map;

/** Opens writers: asks for their identity and, for named ones, what is stored already. */
public final class WriterOpening {
  private WriterOpening() {}

  /** An append writer for a log table. Blocks for the requests it needs. */
  public static AppendWriter open(ClientCore core, TableDescription table, WriterOptions options) {
    if (!table.schema().primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table " + table.path() + " has a primary key; write it with upsertWriter()");
    }
    if (!options.columns().isEmpty()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Partial updates are for tables with a primary key; rows of "
              + table.path()
              + " have all columns");
    }
    ClientConfig config = options.applyTo(core.config());
    WriterIdentity identity = identity(core, table, options);
    Map<TableBucket, Long> stored = stored(core, table, identity);
    Command command = command(table, identity, config.acks(), List.of());
    RowRouting routing =
        new RowRouting(
            table,
            table.schema(),
            table.bucketKey(),
            bucketing(table, options),
            partitions(core, table, identity, options, stored));
    WriterParts parts =
        parts(core, config, table, table.schema(), identity, command, stored, routing);
    BatchCutter passThrough = cutter(core, config, table, table.schema());
    BufferingAppendWriter writer =
        new BufferingAppendWriter(new WriterCore(core, config, table, parts), passThrough);
    parts.loop().start();
    return core.remember(writer);
  }

  /** An upsert writer for a primary-key table. Blocks for the requests it needs. */
  public static UpsertWriter openUpserts(
      ClientCore core, TableDescription table, WriterOptions options) {
    if (table.schema().primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table " + table.path() + " has no primary key; write it with appendWriter()");
    }
    if (options.acks() == Acks.LEADER) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "Upserts are always acknowledged by all in-sync replicas");
    }
    ClientConfig config = options.applyTo(core.config());
    UpsertShape shape = UpsertShape.of(table, options.columns());
    TableSchema written = shape.written();
    WriterIdentity identity = identity(core, table, options);
    Command command = command(table, identity, Acks.ALL, shape.targetIds());
    Map<TableBucket, Long> stored = stored(core, table, identity);
    RowRouting routing =
        new RowRouting(
            table,
            written,
            TableKeys.bucketKey(table),
            bucketing(table, options),
            partitions(core, table, identity, options, stored));
    WriterParts parts = parts(core, config, table, written, identity, command, stored, routing);
    BufferingUpsertWriter writer =
        new BufferingUpsertWriter(new WriterCore(core, config, table, parts), shape);
    parts.loop().start();
    return core.remember(writer);
  }

  private static WriterPartitions partitions(
      ClientCore core,
      TableDescription table,
      WriterIdentity identity,
      WriterOptions options,
      Map<TableBucket, Long> stored) {
    return new WriterPartitions(core, table, identity, options.createPartitions(), stored);
  }

  private static Bucketing bucketing(TableDescription table, WriterOptions options) {
    Bucketing bucketing = options.bucketing();
    if (bucketing == null) {
      return Bucketing.STICKY;
    }
    boolean keyed = !table.bucketKey().isEmpty() || !table.schema().primaryKey().isEmpty();
    if (keyed || options.name() != null) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "bucketing is "
              + bucketing
              + ", but rows of "
              + table.path()
              + (keyed
                  ? " go to the bucket of their key"
                  : " by a named writer go to the bucket of their position")
              + "; leave it out");
    }
    return bucketing;
  }

  private static BatchCutter cutter(
      ClientCore core, ClientConfig config, TableDescription table, TableSchema written) {
    LogBatchEncoder encoder =
        new LogBatchEncoder(
            core.allocator(),
            compression(config, table),
            TableOptions.of(table.options()).statisticsColumns());
    return new BatchCutter(encoder, core.allocator(), written);
  }

  /**
   * What the writer or the connection says, else what the table is stored with, else zstd. Upserts
   * are not stored as they come: the server decodes them, so they get the cheapest codec.
   */
  private static CompressionSettings compression(ClientConfig config, TableDescription table) {
    CompressionSettings asked = config.compression();
    if (asked != null) {
      return asked;
    }
    if (!table.schema().primaryKey().isEmpty()) {
      return CompressionSettings.of(BatchCodec.LZ4);
    }
    return CompressionSettings.ofTable(table.options()).orElse(CompressionSettings.defaults());
  }

  private static WriterIdentity identity(
      ClientCore core, TableDescription table, WriterOptions options) {
    String name = options.name();
    InitWriterRequest request =
        InitWriterRequest.newBuilder().setName(name == null ? "" : name).build();
    InitWriterResponse given =
        core.coordinators()
            .call("Opening a writer for " + table.path(), stub -> stub.initWriter(request));
    return new WriterIdentity(given.getWriterId(), given.getWriterEpoch(), name != null);
  }

  /**
   * The last sequences of a named writer in the buckets; older instances are fenced from now on.
   */
  private static Map<TableBucket, Long> stored(
      ClientCore core, TableDescription table, WriterIdentity identity) {
    if (!identity.named()) {
      return Map.of();
    }
    // Partitions come and go: what an older description has may not be there any more.
    TableDescription now = table.partitioned() ? core.tables().load(table.path()) : table;
    Leaders.requireSame(table, now);
    List<TableBucket> all =
        now.buckets().stream().map(bucket -> bucket.tableBucket(table.tableId())).toList();
    return core.leaders().writerStates(now, all, identity.id(), identity.epoch());
  }

  private static Command command(
      TableDescription table, WriterIdentity writer, Acks acks, List<Integer> targetColumns) {
    return Command.newBuilder()
        .setNativePut(
            NativePut.newBuilder()
                .setTableId(table.tableId())
                .setSchemaId(table.schema().schemaId())
                .addAllTargetColumns(targetColumns)
                .setWriterId(writer.id())
                .setWriterEpoch(writer.epoch())
                .setAcks(
                    acks == Acks.ALL
                        ? io.sluice.protocol.flight.v1.Acks.ACKS_ALL
                        : io.sluice.protocol.flight.v1.Acks.ACKS_LEADER))
        .build();
  }

  /**
   * @param written the columns of the writer's rows
   * @param stored the last sequences of a named writer in the buckets
   */
  private static WriterParts parts(
      ClientCore core,
      ClientConfig config,
      TableDescription table,
      TableSchema written,
      WriterIdentity identity,
      Command command,
      Map<TableBucket, Long> stored,
      RowRouting routing) {
    MemoryBudget budget =
        new MemoryBudget(
            config.bufferBytes(), "The buffer of the writer of " + table.path(), core.time());
    RowLimit rowLimit = written.primaryKey().isEmpty() ? RowLimit.none() : RowLimit.ofUpserts();
    Outstanding outstanding = new Outstanding();
    CommittedPosition committed = new CommittedPosition(StoredPrefix.ofBuckets(table, stored));
    RowBufferPool pool = new RowBufferPool(core.allocator(), written, config.batchBytes());
    Accumulator accumulator =
        new Accumulator(config, pool, budget, outstanding, rowLimit, core.time());
    BatchPreparation preparation =
        new BatchPreparation(
            table,
            cutter(core, config, table, written),
            pool,
            budget,
            outstanding,
            committed,
            accumulator);
    DeliveryLoop loop =
        new DeliveryLoop(core, table, identity, command, accumulator, preparation, rowLimit);
    accumulator.whenBacklogFull(loop::wake);
    budget.whenFull(
        () -> {
          accumulator.requestRoom();
          loop.wake();
        });
    return new WriterParts(identity, accumulator, loop, outstanding, committed, pool, routing);
  }
}
