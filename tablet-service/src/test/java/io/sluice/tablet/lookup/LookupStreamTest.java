package io.sluice.tablet.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.ServerCallStreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.lookup.LookupQuestion;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.Replicas;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In which turns the questions of a call are answered. All of them are about buckets elsewhere. */
final class LookupStreamTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int WHOLE_TURN = LookupStream.TURN_KEYS;

  private static final int SOME = 16;

  private final Elsewhere replicas = new Elsewhere();
  private @Nullable RowLookups lookups;

  private RowLookups lookups(int threads) {
    RowLookups opened = new RowLookups(replicas, new KvMeters(new SimpleMeterRegistry()), threads);
    lookups = opened;
    return opened;
  }

  @AfterEach
  void close() {
    if (lookups != null) {
      lookups.close();
    }
  }

  /** Leads nothing; counts who asks at the same time. */
  private static final class Elsewhere implements Replicas {
    private final AtomicInteger asking = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private volatile LongConsumer asked = tableId -> {};

    @Override
    public Replica require(TableBucket bucket) {
      most.accumulateAndGet(asking.incrementAndGet(), Math::max);
      try {
        asked.accept(bucket.tableId());
      } finally {
        asking.decrementAndGet();
      }
      throw new SluiceException(ErrorCode.BUCKET_NOT_FOUND, bucket + " is not here");
    }

    @Override
    public Collection<Replica> ofTable(long tableId) {
      return List.of();
    }

    @Override
    public Collection<Replica> all() {
      return List.of();
    }

    @Override
    public @Nullable HostedTable table(long tableId) {
      return null;
    }

    @Override
    public @Nullable HostedTable table(TablePath path) {
      return null;
    }
  }

  /** What the client gets, who sees that answers come one after the other. */
  private static final class Call extends ServerCallStreamObserver<LookupAnswer> {
    private final ConcurrentLinkedQueue<Long> answered = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean inside = new AtomicBoolean();
    private final AtomicBoolean disturbed = new AtomicBoolean();
    private final AtomicInteger credit = new AtomicInteger();
    private volatile int answeredAtEnd = -1;

    @Override
    public void onNext(LookupAnswer answer) {
      enter();
      answered.add(answer.requestId());
      inside.set(false);
    }

    private void enter() {
      if (!inside.compareAndSet(false, true) || answeredAtEnd >= 0) {
        disturbed.set(true);
      }
    }

    @Override
    public void onError(Throwable failure) {
      disturbed.set(true);
    }

    @Override
    public void onCompleted() {
      enter();
      answeredAtEnd = answered.size();
      inside.set(false);
    }

    @Override
    public void request(int count) {
      credit.addAndGet(count);
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void disableAutoRequest() {}

    @Override
    public void disableAutoInboundFlowControl() {}

    @Override
    public void setOnCancelHandler(Runnable handler) {}

    @Override
    public void setOnReadyHandler(Runnable handler) {}

    @Override
    public void setCompression(String compression) {}

    @Override
    public void setMessageCompression(boolean enable) {}
  }

  private static LookupStream open(RowLookups lookups, Call call) {
    LookupStream stream = new LookupStream(lookups, call);
    stream.open();
    return stream;
  }

  /** One about prefixes, which are never looked up where their question arrives. */
  private static LookupQuestion question(long id, long tableId, int keys) {
    return question(id, tableId, keys, LookupKind.LOOKUP_PREFIX);
  }

  private static LookupQuestion question(long id, long tableId, int keys, LookupKind kind) {
    return new LookupQuestion(
        id, tableId, 0, 0, Collections.nCopies(keys, new byte[] {1}), 0, kind, 0);
  }

  @Test
  void everyQuestionIsAnsweredOnceAndTheCallEndsAfterThem() {
    Call call = new Call();
    LookupStream stream = open(lookups(2), call);
    int questions = 5_000;
    for (int id = 1; id <= questions; id++) {
      Await.until("credit", SOON, () -> call.credit.get() > 0);
      call.credit.decrementAndGet();
      LookupKind kind = id % 5 == 0 ? LookupKind.LOOKUP_PREFIX : LookupKind.LOOKUP_ROW;
      stream.onNext(question(id, 1 + id % 3, 1 + id * 37 % 200, kind));
    }
    stream.onCompleted();
    Await.until("the end", SOON, () -> call.answeredAtEnd >= 0);
    assertThat(call.answeredAtEnd).isEqualTo(questions);
    assertThat(call.answered)
        .containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, questions).boxed().toList());
    assertThat(call.disturbed).isFalse();
    assertThat(replicas.most.get()).isBetween(1, 2);
  }

  @Test
  void whatDoesNotFitATurnIsAnsweredBesideIt() {
    CountDownLatch both = new CountDownLatch(2);
    AtomicInteger alone = new AtomicInteger();
    replicas.asked =
        tableId -> {
          both.countDown();
          alone.addAndGet(await(both) ? 0 : 1);
        };
    Call call = new Call();
    LookupStream stream = open(lookups(2), call);
    stream.onNext(question(1, 1, WHOLE_TURN));
    stream.onNext(question(2, 1, WHOLE_TURN));
    Await.until("answers", SOON, () -> call.answered.size() == 2);
    assertThat(alone).hasValue(0);
  }

  @Test
  void littleWaitsForTheTurnThatRuns() {
    CountDownLatch sent = new CountDownLatch(1);
    replicas.asked = tableId -> await(sent);
    Call call = new Call();
    LookupStream stream = open(lookups(2), call);
    stream.onNext(question(1, 1, SOME));
    for (int id = 2; id <= 50; id++) {
      stream.onNext(question(id, id, 1));
    }
    sent.countDown();
    Await.until("answers", SOON, () -> call.answered.size() == 50);
    assertThat(replicas.most).hasValue(1);
  }

  @Test
  void aCallWithoutEndLetsOthersHaveTheirTurn() {
    Call endless = new Call();
    Call other = new Call();
    RowLookups one = lookups(1);
    LookupStream stream = open(one, endless);
    AtomicInteger ids = new AtomicInteger(1);
    replicas.asked =
        tableId -> {
          if (tableId == 1 && other.answered.isEmpty()) {
            stream.onNext(question(ids.incrementAndGet(), 1, SOME));
          }
        };
    stream.onNext(question(1, 1, SOME));
    open(one, other).onNext(question(1, 2, SOME));
    Await.until("the other's answer", SOON, () -> other.answered.size() == 1);
    Await.until("the end", SOON, () -> endless.answered.size() == ids.get());
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
