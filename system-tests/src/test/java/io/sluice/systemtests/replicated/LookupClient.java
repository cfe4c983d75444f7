package io.sluice.systemtests.replicated;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.format.row.Row;
import io.sluice.systemtests.replicated.History.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Looks up cells and sums of everybody: no read may miss what was acknowledged before it began. */
final class LookupClient extends Client {
  private static final int AT_ONCE = 16;

  private final String cells;
  private final String sums;
  private final SplittableRandom random;
  private final Pace pace;

  LookupClient(
      String name,
      History history,
      ClientConfig config,
      String cells,
      String sums,
      SplittableRandom random,
      int lookupsPerSecond) {
    super(name, history, config);
    this.cells = cells;
    this.sums = sums;
    this.random = random;
    this.pace = new Pace(Math.max(1, lookupsPerSecond / AT_ONCE));
  }

  @Override
  void work() {
    try (Connection connection = connect();
        Lookuper ofCells = connection.table(cells).lookuper();
        Lookuper ofSums = connection.table(sums).lookuper()) {
      while (!finishing()) {
        pace.await();
        List<CompletableFuture<?>> underWay = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
          underWay.add(random.nextInt(3) == 0 ? lookUpSum(ofSums) : lookUpCell(ofCells));
        }
        underWay.forEach(CompletableFuture::join);
      }
    }
  }

  private CompletableFuture<?> lookUpCell(Lookuper lookuper) {
    List<Cell> all = history().cells();
    Cell cell = all.get(random.nextInt(all.size()));
    int floor = cell.floor();
    return lookuper
        .lookup(Key.of((long) cell.key()))
        .handle((row, why) -> learn(row, why, found -> cell.read(floor, state(Kind.CELLS, found))));
  }

  private CompletableFuture<?> lookUpSum(Lookuper lookuper) {
    SumHistory history = history().sums();
    int key = random.nextInt(history.keys());
    long floor = history.floor(key);
    return lookuper
        .lookup(Key.of((long) key))
        .handle(
            (row, why) ->
                learn(
                    row,
                    why,
                    found ->
                        history.read(key, floor, found.isPresent() ? state(Kind.SUMS, found) : 0)));
  }

  private long state(Kind kind, Optional<Row> row) {
    return row.map(found -> KeyedTables.state(kind, found, history())).orElse(CellState.ABSENT);
  }

  private interface Check {
    @Nullable String check(Optional<Row> row);
  }

  private @Nullable Void learn(@Nullable Optional<Row> row, @Nullable Throwable why, Check check) {
    if (row == null) {
      failed(why);
      return null;
    }
    String wrong = check.check(row);
    if (wrong != null) {
      history().violations().add("read-your-write", wrong + ", for " + name());
    }
    history().operation();
    return null;
  }
}
