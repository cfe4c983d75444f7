package io.sluice.client.internal;

import io.sluice.client.Acks;
import io.sluice.client.AppendWriter;
import io.sluice.client.ClientConfig;
import io.sluice.client.TableDescription;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.metadata.v1.InitWriterRequest;
import io.sluice.protocol.metadata.v1.InitWriterResponse;
import java.util.ArrayList;
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
    Map<Integer, Long> stored = stored(core, table, identity);
    Command command = command(table, identity, config.acks(), List.of());
    WriterParts parts = parts(core, config, table, table.schema(), identity, command, stored);
    BatchCutter passThrough =
        new BatchCutter(core.allocator(), config.compression(), table.schema());
    BufferingAppendWriter writer =
        new BufferingAppendWriter(new WriterCore(core, config, table, parts), passThrough, stored);
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
    TableSchema written = writtenColumns(table, options.columns());
    List<Integer> targets =
        options.columns().isEmpty()
            ? List.of()
            : written.columns().stream().map(Column::id).toList();
    WriterIdentity identity = identity(core, table, options);
    Command command = command(table, identity, Acks.ALL, targets);
    Map<Integer, Long> stored = stored(core, table, identity);
    WriterParts parts = parts(core, config, table, written, identity, command, stored);
    BufferingUpsertWriter writer =
        new BufferingUpsertWriter(new WriterCore(core, config, table, parts), written, stored);
    parts.loop().start();
    return core.remember(writer);
  }

  /** The named columns in their order, checked as the server will; all when none is named. */
  private static TableSchema writtenColumns(TableDescription table, List<String> names) {
    TableSchema schema = table.schema();
    if (names.isEmpty()) {
      return schema;
    }
    List<Column> columns = new ArrayList<>();
    names.forEach(name -> columns.add(schema.column(name)));
    for (Column column : schema.columns()) {
      boolean key = schema.primaryKey().contains(column.name());
      if (!names.contains(column.name()) && (key || !column.nullable())) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "Column '"
                + column.name()
                + "' of "
                + table.path()
                + " must be among the columns of a partial update: "
                + (key ? "it is a key column" : "it is NOT NULL"));
      }
    }
    return new TableSchema(schema.schemaId(), columns, schema.primaryKey());
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
  private static Map<Integer, Long> stored(
      ClientCore core, TableDescription table, WriterIdentity identity) {
    return identity.named()
        ? core.leaders().writerStates(table, identity.id(), identity.epoch())
        : Map.of();
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
      Map<Integer, Long> stored) {
    MemoryBudget budget =
        new MemoryBudget(
            config.bufferBytes(), "The buffer of the writer of " + table.path(), core.time());
    Outstanding outstanding = new Outstanding();
    CommittedPosition committed = new CommittedPosition(StoredPrefix.of(table, stored));
    RowBufferPool pool = new RowBufferPool(core.allocator(), written, config.batchBytes());
    Accumulator accumulator =
        new Accumulator(config, table.bucketCount(), pool, budget, outstanding, core.time());
    BatchPreparation preparation =
        new BatchPreparation(
            table,
            new BatchCutter(core.allocator(), config.compression(), written),
            pool,
            budget,
            outstanding,
            committed,
            accumulator);
    DeliveryLoop loop =
        new DeliveryLoop(
            core,
            table,
            identity,
            command,
            accumulator,
            preparation,
            DeliveryLoop.queues(table, stored));
    budget.whenFull(
        () -> {
          accumulator.requestSealAll();
          loop.wake();
        });
    return new WriterParts(identity, accumulator, loop, outstanding, committed, pool);
  }
}
