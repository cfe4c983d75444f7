package io.sluice.systemtests.replicated;

import io.sluice.client.AppendResult;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.format.row.Row;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** The source of the table that adds up: a row that is stored twice makes a sum too large. */
final class SumClient extends NamedClient {
  private static final int BATCH_BYTES = 8 * 1024;

  private final String path;
  private final SumHistory sums;

  SumClient(
      History history,
      ClientConfig config,
      String path,
      SplittableRandom random,
      int rowsPerSecond) {
    super("sums", history, config, history.sums().source(), random, rowsPerSecond);
    this.path = path;
    this.sums = history.sums();
  }

  @Override
  Writer open(Connection connection) {
    UpsertWriter writer =
        connection
            .table(path)
            .upsertWriter(WriterOptions.named(sums.source().writer()).batchBytes(BATCH_BYTES));
    return new Writer() {
      @Override
      public CompletableFuture<AppendResult> send(long sequence) {
        return writer.upsert(
            sequence, Row.of((long) sums.key(sequence), SumHistory.amount(sequence)));
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
    sums.ask(sequence);
  }

  @Override
  void acknowledge(long sequence, AppendResult result) {
    sums.acknowledge(sequence);
  }

  @Override
  void acknowledgeUpTo(long end) {
    sums.acknowledgeUpTo(end);
  }

  @Override
  void checkCommitted(long committed, long acknowledgedBefore) {
    // A bucket does not know which of the sequences behind its last one are another's: a lower
    // bound is all that a writer can be told.
  }
}
