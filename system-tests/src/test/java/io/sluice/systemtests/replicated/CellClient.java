package io.sluice.systemtests.replicated;

import io.sluice.client.AppendResult;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Table;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.SluiceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Changes cells of its own, many at once but each only when its last change has its outcome: whole
 * rows, deletes, and updates of one of two column sets. A cell whose change failed is left alone.
 */
final class CellClient extends Client {
  private static final Duration IDLE = Duration.ofMillis(2);
  private static final int BATCH_BYTES = 8 * 1024;

  private final String path;
  private final SplittableRandom random;
  private final Pace pace;
  private final Progress progress;
  // Cells without a change under way. The list is its own lock.
  private final List<Cell> free = new ArrayList<>();
  private int underWay;

  CellClient(
      String name,
      History history,
      ClientConfig config,
      String path,
      List<Cell> cells,
      SplittableRandom random,
      int changesPerSecond) {
    super(name, history, config);
    this.path = path;
    this.random = random;
    this.pace = new Pace(changesPerSecond);
    this.progress = new Progress(history, name);
    this.free.addAll(cells);
  }

  @Override
  void work() {
    try (Connection connection = connect()) {
      Table table = connection.table(path);
      WriterOptions options = WriterOptions.defaults().batchBytes(BATCH_BYTES);
      UpsertWriter whole = table.upsertWriter(options);
      UpsertWriter a = table.upsertWriter(options.partial(KeyedTables.columnsOfA()));
      UpsertWriter b = table.upsertWriter(options.partial(KeyedTables.columnsOfB()));
      while (!finishing()) {
        pace.await();
        Cell cell = take();
        if (cell == null) {
          pause(IDLE);
        } else {
          change(cell, whole, a, b);
        }
      }
      while (busy()) {
        pause(IDLE);
      }
    }
  }

  private boolean busy() {
    synchronized (free) {
      return underWay > 0;
    }
  }

  private @Nullable Cell take() {
    synchronized (free) {
      if (free.isEmpty()) {
        return null;
      }
      underWay++;
      return free.remove(random.nextInt(free.size()));
    }
  }

  private void change(Cell cell, UpsertWriter whole, UpsertWriter a, UpsertWriter b) {
    long before = cell.latest();
    int number = cell.nextNumber();
    int kind = random.nextInt(10);
    if (kind < 2 && before != CellState.ABSENT) {
      ask(cell, CellState.ABSENT, () -> whole.delete(Key.of((long) cell.key())));
    } else if (kind < 5) {
      long after = CellState.of(number, number);
      ask(cell, after, () -> whole.upsert(KeyedTables.cell(cell.key(), after)));
    } else if (kind < 8) {
      long after = CellState.of(number, CellState.b(before));
      ask(cell, after, () -> a.upsert(KeyedTables.cellA(cell.key(), number)));
    } else {
      long after = CellState.of(CellState.a(before), number);
      ask(cell, after, () -> b.upsert(KeyedTables.cellB(cell.key(), number)));
    }
  }

  private interface Change {
    CompletableFuture<AppendResult> send();
  }

  private void ask(Cell cell, long after, Change change) {
    cell.ask(after);
    progress.asked();
    CompletableFuture<AppendResult> sent;
    try {
      sent = change.send();
    } catch (SluiceException e) {
      sent = CompletableFuture.failedFuture(e);
    }
    var unused = sent.whenComplete((result, why) -> learn(cell, why));
  }

  private void learn(Cell cell, @Nullable Throwable why) {
    if (why == null) {
      cell.acknowledge();
      progress.acknowledged();
      history().operation();
    } else {
      progress.failed();
      failed(why);
    }
    synchronized (free) {
      underWay--;
      if (why == null) {
        free.add(cell);
      }
    }
  }
}
