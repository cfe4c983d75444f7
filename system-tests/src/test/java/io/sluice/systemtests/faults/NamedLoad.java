package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A source whose rows go to a table under a writer's name. It knows of every key what its number
 * column must be at least (all that was acknowledged) and at most (all that was asked for). For one
 * writing thread; looking up may go on beside it.
 */
final class NamedLoad {
  private static final int BATCH_BYTES = 16 * 1024;
  private static final int REPEATED = 3000;
  private static final int LOOKUPS_AT_ONCE = 32;

  private final String path;
  private final int keys;
  private final IntFunction<Row> rowOf;
  private final IntToLongFunction numberOf;
  private final LongBinaryOperator merged;
  private final BitSet acknowledged = new BitSet();
  private final long[] least;
  private final long[] most;
  private int end;
  private @Nullable UpsertWriter writer;
  private volatile @Nullable Throwable failure;

  /**
   * @param keys key of a row is its sequence modulo this
   * @param rowOf row by sequence: the key, the number, perhaps more
   * @param numberOf the number of the row of a sequence
   * @param merged what the table makes of two numbers of one key
   */
  NamedLoad(
      String path,
      int keys,
      IntFunction<Row> rowOf,
      IntToLongFunction numberOf,
      LongBinaryOperator merged) {
    this.path = path;
    this.keys = keys;
    this.rowOf = rowOf;
    this.numberOf = numberOf;
    this.merged = merged;
    this.least = new long[keys];
    this.most = new long[keys];
  }

  String path() {
    return path;
  }

  /** How many rows were ever asked for. */
  int end() {
    return end;
  }

  /** How many rows are known to be stored. */
  synchronized int stored() {
    return acknowledged.cardinality();
  }

  /** What the number of a key's row is once all is stored. */
  synchronized long expected(int key) {
    return most[key];
  }

  /** Opens the writer and repeats what may not be stored, and some rows before. */
  void open(Connection connection, SplittableRandom random) {
    WriterOptions options = WriterOptions.named("load of " + path).batchBytes(BATCH_BYTES);
    UpsertWriter opened = connection.table(path).upsertWriter(options);
    writer = opened;
    failure = null;
    int committed = Math.toIntExact(opened.committedSequence() + 1);
    assertThat(committed).isLessThanOrEqualTo(end);
    // To be told so is an acknowledgement too: a row's own may have been lost with the tablet.
    for (int sequence = 0; sequence < committed; sequence++) {
      acknowledge(sequence);
    }
    write(Math.max(0, committed - random.nextInt(REPEATED)), end);
  }

  /** Writes rows that are new. */
  void write(int rows) {
    write(end, end + rows);
  }

  private void write(int from, int to) {
    for (int sequence = from; sequence < to && failure == null; sequence++) {
      int asked = sequence;
      ask(asked);
      try {
        var unused =
            writer
                .upsert(asked, rowOf.apply(asked))
                .whenComplete((result, why) -> learn(asked, why));
      } catch (SluiceException refused) {
        learn(asked, refused);
      }
    }
  }

  private void learn(int sequence, @Nullable Throwable why) {
    if (why == null) {
      acknowledge(sequence);
    } else {
      failure = why;
    }
  }

  /** Why the writer ended before its time, null while it goes on. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Returns when everything is stored. */
  void flush() {
    writer.flush();
    assertThat(writer.committedSequence()).isEqualTo(end - 1);
    assertThat(stored()).isEqualTo(end);
  }

  private synchronized void ask(int sequence) {
    if (sequence >= end) {
      end = sequence + 1;
      int key = sequence % keys;
      most[key] = merged.applyAsLong(most[key], numberOf.applyAsLong(sequence));
    }
  }

  private synchronized void acknowledge(int sequence) {
    if (!acknowledged.get(sequence)) {
      acknowledged.set(sequence);
      int key = sequence % keys;
      least[key] = merged.applyAsLong(least[key], numberOf.applyAsLong(sequence));
    }
  }

  private synchronized long least(int key) {
    return least[key];
  }

  /** Read-your-write: some keys at once; what was acknowledged before is in their rows. */
  int lookUpSome(Lookuper lookuper, SplittableRandom random) {
    List<CompletableFuture<Void>> checks = new ArrayList<>();
    for (int i = 0; i < LOOKUPS_AT_ONCE; i++) {
      int key = random.nextInt(keys);
      long from = least(key);
      checks.add(
          lookuper
              .lookup(Key.of((long) key))
              .thenAccept(
                  row ->
                      assertThat(row.map(found -> found.getLong(1)).orElse(0L))
                          .as("key %s of %s", key, path)
                          .isBetween(from, expected(key))));
    }
    checks.forEach(CompletableFuture::join);
    return LOOKUPS_AT_ONCE;
  }
}
