package io.sluice.client.internal;

import io.sluice.client.AppendWriter;
import io.sluice.client.ClientConfig;
import io.sluice.client.TableDescription;
import io.sluice.client.WriterOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.metadata.v1.InitWriterRequest;
import io.sluice.protocol.metadata.v1.InitWriterResponse;
import java.util.Map;

/** Opens append writers: asks for their identity and, for named ones, what is stored already. */
public final class WriterOpening {
  private WriterOpening() {}

  /** A writer for the table. Blocks for the requests it needs. */
  public static AppendWriter open(ClientCore core, TableDescription table, WriterOptions options) {
    if (!table.schema().primaryKey().isEmpty()) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Table " + table.path() + " has a primary key; append writers are for log tables");
    }
    ClientConfig config = options.applyTo(core.config());
    String name = options.name();
    InitWriterRequest request =
        InitWriterRequest.newBuilder().setName(name == null ? "" : name).build();
    InitWriterResponse given =
        core.coordinators()
            .call("Opening a writer for " + table.path(), stub -> stub.initWriter(request));
    WriterIdentity identity =
        new WriterIdentity(given.getWriterId(), given.getWriterEpoch(), name != null);
    Map<Integer, Long> stored =
        name == null
            ? Map.of()
            : core.leaders().writerStates(table, identity.id(), identity.epoch());
    return open(core, config, table, identity, stored);
  }

  private static AppendWriter open(
      ClientCore core,
      ClientConfig config,
      TableDescription table,
      WriterIdentity identity,
      Map<Integer, Long> stored) {
    MemoryBudget budget =
        new MemoryBudget(
            config.bufferBytes(), "The buffer of the writer of " + table.path(), core.time());
    Outstanding outstanding = new Outstanding();
    CommittedPosition committed = new CommittedPosition(StoredPrefix.of(table, stored));
    RowBufferPool pool = new RowBufferPool(core.allocator(), table.schema(), config.batchBytes());
    Accumulator accumulator =
        new Accumulator(config, table.bucketCount(), pool, budget, outstanding, core.time());
    BatchPreparation preparation =
        new BatchPreparation(
            table,
            new BatchCutter(core.allocator(), config.compression(), table.schema()),
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
            config.acks(),
            accumulator,
            preparation,
            DeliveryLoop.queues(table, stored));
    budget.whenFull(
        () -> {
          accumulator.requestSealAll();
          loop.wake();
        });
    WriterParts parts =
        new WriterParts(
            identity,
            accumulator,
            loop,
            outstanding,
            committed,
            new BatchCutter(core.allocator(), config.compression(), table.schema()),
            pool);
    BufferingAppendWriter writer = new BufferingAppendWriter(core, config, table, parts, stored);
    loop.start();
    return core.remember(writer);
  }
}
