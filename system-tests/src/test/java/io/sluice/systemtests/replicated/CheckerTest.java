package io.sluice.systemtests.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.batch.ChangeType;
import io.sluice.systemtests.replicated.History.Kind;
import io.sluice.systemtests.replicated.Reading.Copy;
import io.sluice.systemtests.replicated.Reading.Records;
import io.sluice.systemtests.replicated.Reading.Replicated;
import io.sluice.systemtests.replicated.Reading.StoredBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Forged histories: what is right passes, and each thing that may go wrong is found and named. */
final class CheckerTest {
  private static final int BUCKETS = 2;
  private static final int ROWS = 3000;

  /** A small world that is in order; tests spoil it. */
  private static final class World {
    final History history = new History(1, 4, 4);
    final List<List<Long>> log = List.of(new ArrayList<>(), new ArrayList<>());
    final List<Long> cellChanges = new ArrayList<>();
    final List<Long> sumChanges = new ArrayList<>();
    final Map<Integer, Long> cells = new HashMap<>();
    final Map<Integer, Long> sums = new HashMap<>();
    final List<Copy> copies = new ArrayList<>();

    World() {
      for (long sequence = 0; sequence < ROWS; sequence++) {
        int bucket = (int) (sequence / 1024 % BUCKETS);
        history.source(0).ask(sequence);
        log.get(bucket).add(Contents.ofRow(0, sequence));
        acknowledgeRow(sequence, bucket, log.get(bucket).size() - 1);
      }
      change(0, CellState.ABSENT, CellState.of(1, 1));
      change(0, CellState.of(1, 1), CellState.of(2, 1));
      change(1, CellState.ABSENT, CellState.of(1, 0));
      change(1, CellState.of(1, 0), CellState.ABSENT);
      change(1, CellState.ABSENT, CellState.of(0, 3));
      for (long sequence = 0; sequence < 20; sequence++) {
        add(sequence);
      }
      for (int server = 1; server <= 3; server++) {
        copies.add(
            new Copy(
                server,
                new ArrayList<>(
                    List.of(
                        new StoredBatch(0, 10, 1),
                        new StoredBatch(10, 20, 2),
                        new StoredBatch(20, 30, 3)))));
      }
    }

    void acknowledgeRow(long sequence, int bucket, long offset) {
      history.source(0).acknowledge(sequence);
      history.tell(Kind.LOG, bucket, offset, Contents.ofRow(0, sequence), "the writer");
    }

    void change(int key, long before, long after) {
      Cell cell = history.cells().get(key);
      cell.ask(after);
      log(cellChanges, cells, key, before, after);
      cell.acknowledge();
    }

    void add(long sequence) {
      int key = history.sums().key(sequence);
      history.sums().ask(sequence);
      long before = sums.getOrDefault(key, CellState.ABSENT);
      log(sumChanges, sums, key, before, Math.max(0, before) + SumHistory.amount(sequence));
      history.sums().acknowledge(sequence);
    }

    private static void log(
        List<Long> changes, Map<Integer, Long> rows, int key, long before, long after) {
      if (before == CellState.ABSENT) {
        changes.add(Contents.ofChange(ChangeType.INSERT, key, after));
      } else if (after == CellState.ABSENT) {
        changes.add(Contents.ofChange(ChangeType.DELETE, key, before));
      } else {
        changes.add(Contents.ofChange(ChangeType.UPDATE_BEFORE, key, before));
        changes.add(Contents.ofChange(ChangeType.UPDATE_AFTER, key, after));
      }
      if (after == CellState.ABSENT) {
        rows.remove(key);
      } else {
        rows.put(key, after);
      }
    }

    List<String> check() {
      Checker.check(
          history,
          new Reading(
              Map.of(
                  Kind.LOG,
                  log.stream().map(World::records).toList(),
                  Kind.CELLS,
                  List.of(records(cellChanges)),
                  Kind.SUMS,
                  List.of(records(sumChanges))),
              cells,
              sums,
              List.of(new Replicated("table bucket 0", 30, copies))));
      return history.violations().found();
    }

    private static Records records(List<Long> contents) {
      OffsetContents records = new OffsetContents();
      for (int offset = 0; offset < contents.size(); offset++) {
        if (contents.get(offset) != 0) {
          records.tell(offset, contents.get(offset));
        }
      }
      return new Records(records, contents.size());
    }
  }

  private static void assertFound(String expected, Consumer<World> spoil) {
    World world = new World();
    spoil.accept(world);
    assertThat(world.check()).anySatisfy(found -> assertThat(found).contains(expected));
  }

  private static void assertNothingFound(Consumer<World> change) {
    World world = new World();
    change.accept(world);
    assertThat(world.check()).isEmpty();
  }

  @Test
  void findsNothingWhereAllIsInOrder() {
    assertNothingFound(world -> {});
  }

  @Test
  void rowThatWasAcknowledgedAndIsNotThereIsLost() {
    assertFound(
        "durable-ack: 1 acknowledged rows of source 0 are lost: {1976}",
        world -> world.log.get(1).remove(world.log.get(0).size() - 1024));
    assertFound(
        "durable-ack: 1 acknowledged rows of source 0 are lost: {2999}",
        world -> world.log.get(0).remove(world.log.get(0).size() - 1));
  }

  @Test
  void rowThatWasNotAcknowledgedMayBeThereOrNot() {
    assertNothingFound(world -> world.history.source(0).ask(ROWS));
    assertNothingFound(
        world -> {
          world.history.source(0).ask(ROWS);
          world.log.get(0).add(Contents.ofRow(0, ROWS));
        });
  }

  @Test
  void rowThatIsThereTwiceIsFound() {
    assertFound(
        "no-dup: row 2999 of source 0 at offset 1976 of bucket 0 is there twice",
        world -> world.log.get(0).add(Contents.ofRow(0, 2999)));
  }

  @Test
  void rowThatNobodySentIsFound() {
    assertFound("was never sent", world -> world.log.get(0).add(Contents.ofRow(0, 5000)));
  }

  @Test
  void rowInAnotherBucketIsFound() {
    assertFound(
        "belongs to another bucket",
        world -> {
          world.history.source(0).ask(ROWS);
          world.log.get(1).add(Contents.ofRow(0, ROWS));
        });
  }

  @Test
  void rowsInAnotherOrderAreFound() {
    assertFound(
        "dense: row 2998 of source 0 at offset 1975 of bucket 0 comes after row 2999",
        world -> {
          List<Long> bucket = world.log.get(0);
          Long last = bucket.remove(bucket.size() - 1);
          bucket.add(bucket.size() - 1, last);
        });
  }

  @Test
  void offsetWithoutARowIsFound() {
    assertFound("dense: Bucket 1 has nothing at offset 1024", world -> world.log.get(1).add(0L));
  }

  @Test
  void rowAtAnotherOffsetThanWasToldIsFound() {
    assertFound(
        "Offset 5 of bucket 0 of LOG was told to be row 5 of source 0, and is row 6 of source 0",
        world -> {
          world.log.get(0).set(5, Contents.ofRow(0, 6));
          world.log.get(0).set(6, Contents.ofRow(0, 5));
        });
  }

  @Test
  void rowThatAReaderSawAndThatIsGoneIsFound() {
    assertFound(
        "Offset 1976 of bucket 0 of LOG was told to be row 3000 of source 0, and is nothing",
        world -> {
          world.history.source(0).ask(ROWS);
          world.history.tell(Kind.LOG, 0, 1976, Contents.ofRow(0, ROWS), "a reader");
        });
  }

  @Test
  void twoReadersThatSeeDifferentRowsAtOneOffsetAreFound() {
    assertFound(
        "Offset 7 of bucket 0 of LOG was row 7 of source 0 and is row 9 of source 0 for a reader",
        world -> world.history.tell(Kind.LOG, 0, 7, Contents.ofRow(0, 9), "a reader"));
  }

  @Test
  void changeThatWasAcknowledgedAndIsNotThereIsFound() {
    assertFound(
        "Key 2: change 1 is a=1,b=1, and none in the changelog",
        world -> {
          world.history.cells().get(2).ask(CellState.of(1, 1));
          world.history.cells().get(2).acknowledge();
        });
  }

  @Test
  void changeThatWasNotAcknowledgedMayBeMadeOrNot() {
    assertNothingFound(world -> world.history.cells().get(2).ask(CellState.of(1, 1)));
    assertNothingFound(
        world -> {
          world.history.cells().get(2).ask(CellState.of(1, 1));
          World.log(world.cellChanges, world.cells, 2, CellState.ABSENT, CellState.of(1, 1));
        });
  }

  @Test
  void changeThatIsMadeTwiceIsFound() {
    assertFound(
        "Key 0: change 3 is none, and a=1,b=1 in the changelog",
        world ->
            World.log(world.cellChanges, world.cells, 0, CellState.of(2, 1), CellState.of(1, 1)));
  }

  @Test
  void rowThatIsNotTheFoldOfItsChangelogIsFound() {
    assertFound(
        "state-is-fold: Row 0 of CELLS is a=9,b=9; its changelog makes it a=2,b=1",
        world -> world.cells.put(0, CellState.of(9, 9)));
    assertFound("state-is-fold: Row 1 of CELLS is no row", world -> world.cells.remove(1));
  }

  @Test
  void recordThatCannotFollowIsFound() {
    assertFound(
        "INSERT of key 0 with a=5,b=5, cannot come after a=2,b=1",
        world ->
            world.cellChanges.add(Contents.ofChange(ChangeType.INSERT, 0, CellState.of(5, 5))));
    assertFound(
        "ends with half an update of key 0",
        world ->
            world.cellChanges.add(
                Contents.ofChange(ChangeType.UPDATE_BEFORE, 0, CellState.of(2, 1))));
  }

  @Test
  void readThatIsOlderThanAnAcknowledgementIsFound() {
    Cell cell = new Cell(3);
    int before = cell.floor();
    cell.ask(CellState.of(1, 1));
    assertThat(cell.read(before, CellState.ABSENT)).isNull();
    assertThat(cell.read(before, CellState.of(1, 1))).isNull();
    assertThat(cell.read(before, CellState.of(2, 2))).contains("Key 3 reads a=2,b=2");
    cell.acknowledge();
    assertThat(cell.read(before, CellState.ABSENT)).isNull();
    assertThat(cell.read(cell.floor(), CellState.ABSENT)).contains("Key 3 reads no row");
  }

  @Test
  void readThatGoesBackBehindAnotherReadIsFound() {
    Cell cell = new Cell(3);
    cell.ask(CellState.of(1, 1));
    assertThat(cell.read(cell.floor(), CellState.of(1, 1))).isNull();
    assertThat(cell.read(cell.floor(), CellState.ABSENT)).contains("Key 3 reads no row");
  }

  @Test
  void sumsThatLoseOrDoubleARowAreFound() {
    assertFound(
        "no-dup or durable-ack: Sum",
        world -> {
          int key = world.history.sums().key(0);
          long before = world.sums.get(key);
          World.log(world.sumChanges, world.sums, key, before, before + 1);
        });
    assertFound(
        "no-dup or durable-ack: Sum",
        world -> {
          world.history.sums().ask(20);
          world.history.sums().acknowledge(20);
        });
  }

  @Test
  void sumThatGoesBackIsFound() {
    SumHistory sums = new SumHistory(1, 1);
    sums.ask(0);
    sums.ask(1);
    long first = SumHistory.amount(0);
    assertThat(sums.read(0, sums.floor(0), first)).isNull();
    assertThat(sums.read(0, sums.floor(0), 0)).contains("Sum 0 reads 0; it must be 1 to 3");
    assertThat(sums.read(0, sums.floor(0), 4)).contains("Sum 0 reads 4");
  }

  @Test
  void replicaThatDiffersBelowWhatIsCommittedIsFound() {
    assertFound(
        "same-log: table bucket 0 on server 2 is not what it is on server 1: batch 1 is",
        world -> world.copies.get(1).batches().set(1, new StoredBatch(10, 20, 99)));
    assertFound(
        "on server 3 is not what it is on server 1: batch 1 is",
        world -> world.copies.get(2).batches().set(1, new StoredBatch(10, 15, 2)));
    assertFound(
        "same-log: table bucket 0 on server 3 ends at 20, below what is committed, 30",
        world -> world.copies.get(2).batches().remove(2));
  }

  @Test
  void replicasMayDifferAboveWhatIsCommitted() {
    assertNothingFound(
        world -> {
          world.copies.get(0).batches().add(new StoredBatch(30, 40, 4));
          world.copies.get(1).batches().add(new StoredBatch(30, 35, 5));
        });
  }

  @Test
  void allThatIsWrongIsCountedAndTheFirstIsKept() {
    Violations violations = new Violations();
    for (int i = 0; i < 1000; i++) {
      violations.add("dense", "number " + i);
    }
    assertThat(violations.count()).isEqualTo(1000);
    assertThat(violations.found()).hasSizeLessThan(100).first().isEqualTo("dense: number 0");
  }
}
