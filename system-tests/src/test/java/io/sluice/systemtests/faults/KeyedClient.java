package io.sluice.systemtests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendResult;
import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.Table;
import io.sluice.client.UpsertWriter;
import io.sluice.client.WriterOptions;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One client's life: random upserts, deletes, partial updates and lookups, many under way at once.
 * What it does to one key goes through one writer at a time, as only a writer keeps an order. It
 * stops at its first failure, whose outcome nobody knows then.
 */
final class KeyedClient implements AutoCloseable {
  private static final int UNDER_WAY = 256;
  private static final long STUCK_SECONDS = 150;
  private static final int WHOLE = 0;
  private static final int LEFT = 1;
  private static final int RIGHT = 2;

  private final KeyedModel model;
  private final int client;
  private final SplittableRandom random;
  private final boolean mayFail;
  private final Connection connection;
  private final UpsertWriter[] writers = new UpsertWriter[3];
  private final Lookuper lookuper;
  private final Semaphore room = new Semaphore(UNDER_WAY);
  private final int[] lastWriter = new int[KeyedModel.OWN_KEYS];
  private final AtomicInteger[] underWay = new AtomicInteger[KeyedModel.OWN_KEYS];
  private volatile boolean broken;

  /**
   * @param mayFail whether operations may fail because the tablet stays dead for longer than the
   *     connection has patience
   */
  KeyedClient(
      KeyedModel model,
      int client,
      SplittableRandom random,
      boolean mayFail,
      Connection connection,
      Table table) {
    this.model = model;
    this.client = client;
    this.random = random;
    this.mayFail = mayFail;
    this.connection = connection;
    WriterOptions options = WriterOptions.defaults();
    this.writers[WHOLE] = table.upsertWriter(options);
    this.writers[LEFT] = table.upsertWriter(options.partial("id", "left_text"));
    this.writers[RIGHT] = table.upsertWriter(options.partial("number", "id", "right_text"));
    this.lookuper = table.lookuper();
    for (int i = 0; i < underWay.length; i++) {
      underWay[i] = new AtomicInteger();
    }
  }

  /** Does so many operations, or fewer when one fails, and waits for their outcomes. */
  void run(int operations) {
    try {
      for (int i = 0; i < operations && !broken && !model.failed(); i++) {
        takeRoom(1);
        operate();
      }
      takeRoom(UNDER_WAY);
    } catch (SluiceException refused) {
      failed(refused);
    } catch (InterruptedException | RuntimeException | AssertionError e) {
      model.fail(e);
    }
  }

  private void takeRoom(int permits) throws InterruptedException {
    if (!room.tryAcquire(permits, STUCK_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("Client " + client + " has operations without an outcome");
    }
  }

  private void operate() {
    int kind = random.nextInt(100);
    if (kind < 25) {
      lookUpOwn(random.nextInt(KeyedModel.OWN_KEYS), random.nextInt(model.clients()));
    } else if (kind < 32) {
      lookUpShared(random.nextInt(KeyedModel.SHARED_KEYS));
    } else if (kind < 45) {
      changeShared(random.nextInt(KeyedModel.SHARED_KEYS / model.clients()) * model.clients());
    } else {
      changeOwn(random.nextInt(KeyedModel.OWN_KEYS), random.nextInt(100));
    }
  }

  private void changeOwn(int key, int kind) {
    Register register = model.own(client, key);
    int writer = kind < 60 ? WHOLE : kind < 80 ? LEFT : RIGHT;
    if (lastWriter[key] != writer && underWay[key].get() > 0) {
      writer = lastWriter[key];
    }
    lastWriter[key] = writer;
    underWay[key].incrementAndGet();
    Runnable end = underWay[key]::decrementAndGet;
    KeyedRow before = register.latest();
    switch (writer) {
      case LEFT -> changeLeft(register, before, kind % 4 == 0, end);
      case RIGHT -> changeRight(register, before, kind % 4 == 0, end);
      default -> changeWhole(register, before, kind, end);
    }
  }

  private void changeWhole(Register register, @Nullable KeyedRow before, int kind, Runnable end) {
    long key = register.key();
    if (kind % 10 < 3) {
      write(register, null, -1, end, () -> writers[WHOLE].delete(Key.of(key)));
    } else if (kind % 10 == 3 && before != null) {
      write(register, before, -1, end, () -> writers[WHOLE].upsert(before.withKey(key)));
    } else {
      long operation = model.nextUpsert(client);
      KeyedRow after = KeyedRow.of(operation);
      write(register, after, operation, end, () -> writers[WHOLE].upsert(after.withKey(key)));
    }
  }

  private void changeLeft(
      Register register, @Nullable KeyedRow before, boolean clear, Runnable end) {
    long key = register.key();
    if (clear) {
      KeyedRow after = before == null ? null : before.withLeft(null);
      write(register, after, -1, end, () -> writers[LEFT].delete(Key.of(key)));
    } else {
      long operation = model.nextUpsert(client);
      String text = KeyedRow.of(operation).left();
      KeyedRow after = (before == null ? KeyedRow.EMPTY : before).withLeft(text);
      write(register, after, operation, end, () -> writers[LEFT].upsert(Row.of(key, text)));
    }
  }

  private void changeRight(
      Register register, @Nullable KeyedRow before, boolean clear, Runnable end) {
    long key = register.key();
    if (clear) {
      KeyedRow after = before == null ? null : before.withRight(KeyedRow.EMPTY);
      write(register, after, -1, end, () -> writers[RIGHT].delete(Key.of(key)));
    } else {
      long operation = model.nextUpsert(client);
      KeyedRow put = KeyedRow.of(operation);
      KeyedRow after = (before == null ? KeyedRow.EMPTY : before).withRight(put);
      write(
          register,
          after,
          operation,
          end,
          () -> writers[RIGHT].upsert(Row.of(put.number(), key, put.right())));
    }
  }

  /** Writes the one column set of a shared key that is this client's. */
  private void changeShared(int firstKey) {
    boolean clear = random.nextInt(5) == 0;
    if (random.nextBoolean()) {
      Register register = model.left(firstKey + client);
      changeLeft(register, register.latest(), clear, () -> {});
    } else {
      int owned = Math.floorMod(client - 1, model.clients());
      Register register = model.right(firstKey + owned);
      changeRight(register, register.latest(), clear, () -> {});
    }
  }

  private void write(
      Register register,
      @Nullable KeyedRow after,
      long operation,
      Runnable end,
      Supplier<CompletableFuture<AppendResult>> call) {
    int place = register.ask(after);
    var unused =
        call.get()
            .whenComplete(
                (result, failure) -> {
                  if (failure == null) {
                    register.acknowledge(place);
                    if (operation >= 0) {
                      model.acknowledge(operation);
                    }
                    end.run();
                  } else {
                    register.unknown(place);
                    failed(failure);
                  }
                  outcome();
                });
  }

  private void lookUpOwn(int key, int owner) {
    Register register = model.own(owner, key);
    int from = register.oldest();
    lookUp(register.key(), row -> register.check(from, row));
  }

  private void lookUpShared(int key) {
    Register left = model.left(key);
    Register right = model.right(key);
    int fromLeft = left.oldest();
    int fromRight = right.oldest();
    lookUp(
        left.key(),
        row -> {
          left.check(fromLeft, KeyedModel.leftOf(row));
          right.check(fromRight, KeyedModel.rightOf(row));
        });
  }

  private interface Check {
    void check(@Nullable KeyedRow row);
  }

  private void lookUp(long key, Check check) {
    CompletableFuture<Optional<Row>> lookup = lookuper.lookup(Key.of(key));
    var unused =
        lookup.whenComplete(
            (row, failure) -> {
              try {
                if (failure == null) {
                  check.check(row.map(KeyedRow::read).orElse(null));
                } else {
                  failed(failure);
                }
              } catch (RuntimeException | AssertionError e) {
                model.fail(e);
              }
              outcome();
            });
  }

  private void failed(Throwable why) {
    broken = true;
    if (!mayFail || !(why instanceof SluiceException)) {
      model.fail(why);
    }
  }

  private void outcome() {
    model.finish();
    room.release();
  }

  /** Gives up what has no outcome yet. */
  @Override
  public void close() {
    try {
      connection.close();
    } catch (SluiceException e) {
      assertThat(mayFail).as("may fail: %s", e.getMessage()).isTrue();
    }
  }
}
