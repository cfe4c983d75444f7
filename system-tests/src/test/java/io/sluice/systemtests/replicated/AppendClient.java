package io.sluice.systemtests.replicated;

import io.sluice.client.AppendResult;
import io.sluice.client.AppendWriter;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.WriterOptions;
import io.sluice.systemtests.replicated.History.Kind;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** A source of the log table. */
final class AppendClient extends NamedClient {
  private static final int BATCH_BYTES = 8 * 1024;

  private final String path;
  private final SourceHistory source;

  AppendClient(
      History history,
      ClientConfig config,
      String path,
      int number,
      SplittableRandom random,
      int rowsPerSecond) {
    super("append-" + number, history, config, history.source(number), random, rowsPerSecond);
    this.path = path;
    this.source = history.source(number);
  }

  @Override
  Writer open(Connection connection) {
    AppendWriter writer =
        connection
            .table(path)
            .appendWriter(WriterOptions.named(source.writer()).batchBytes(BATCH_BYTES));
    return new Writer() {
      @Override
      public CompletableFuture<AppendResult> send(long sequence) {
        return writer.append(sequence, LogTable.row(source.number(), sequence));
      }

      @Override
      public long committedSequence() {
        return writer.committedSequence();
      }

      @Override
      public void flush() {
        writer.flush();
      }

      @Override
      public void close() {
        writer.close();
      }
    };
  }

  @Override
  void ask(long sequence) {
    source.ask(sequence);
  }

  @Override
  void acknowledge(long sequence, AppendResult result) {
    source.acknowledge(sequence);
    if (result.offset() >= 0) {
      long content = Contents.ofRow(source.number(), sequence);
      history().tell(Kind.LOG, result.bucket(), result.offset(), content, name());
    }
  }

  @Override
  void acknowledgeUpTo(long end) {
    source.acknowledgeUpTo(end);
  }

  @Override
  void checkCommitted(long committed, long acknowledgedBefore) {
    if (committed < acknowledgedBefore) {
      history()
          .violations()
          .add(
              "durable-ack",
              "%s is told that %d rows are stored; %d were acknowledged"
                  .formatted(name(), committed, acknowledgedBefore));
    }
  }
}
