package io.sluice.tablet.lookup;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.lookup.LookupQuestion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * One lookup call. A small question that finds nobody at work is answered where it arrives, when
 * that needs no file. All others are answered in turns on the lookup threads, one turn after the
 * other in a lane: what has arrived while a turn ran is answered together in the next, so that many
 * small questions cost one hand-over. When more has arrived than a turn takes, a second lane runs
 * beside the first. At most {@link #MAX_UNANSWERED} questions are taken in ahead of their answers,
 * none while the client does not take answers.
 */
final class LookupStream implements StreamObserver<LookupQuestion> {
  private static final int MAX_UNANSWERED = 256;

  /** Answered questions that are made good at once: each time is a task of the transport. */
  private static final int CREDIT_STEP = MAX_UNANSWERED / 4;

  /** A turn takes questions until it has so many keys. */
  static final int TURN_KEYS = 128;

  private final RowLookups lookups;
  private final ServerCallStreamObserver<LookupAnswer> answers;
  private final Lane first;
  private final Lane second;

  // Answers go out one after the other: guards them and the two below.
  private final Object sending = new Object();
  private int answered;
  private boolean failed;

  // Guarded by this.
  private final ArrayDeque<LookupQuestion> queued = new ArrayDeque<>();
  private final List<PendingInsert> made = new ArrayList<>();
  private int queuedKeys;
  private int inserting;
  private int deferred;
  private boolean ended;

  LookupStream(RowLookups lookups, ServerCallStreamObserver<LookupAnswer> answers) {
    this.lookups = lookups;
    this.answers = answers;
    this.first = new Lane();
    this.second = new Lane();
  }

  /** Begins to take questions; inside of the call's start. */
  void open() {
    answers.disableAutoRequest();
    answers.setOnReadyHandler(this::ready);
    answers.setOnCancelHandler(this::cancelled);
    answers.request(MAX_UNANSWERED);
  }

  @Override
  public void onNext(LookupQuestion question) {
    boolean alone;
    Lane beside = null;
    synchronized (this) {
      alone = !first.busy && !second.busy;
      if (alone) {
        first.busy = true;
      } else {
        queued.add(question);
        queuedKeys += keys(question);
        beside = queuedKeys < TURN_KEYS ? null : !first.busy ? first : !second.busy ? second : null;
        if (beside != null) {
          beside.busy = true;
        }
      }
    }
    if (alone) {
      first.begin(question);
    } else if (beside != null) {
      start(beside);
    }
  }

  private static int keys(LookupQuestion question) {
    return Math.max(1, question.keys().size());
  }

  private void start(Lane lane) {
    try {
      lookups.threads().execute(lane);
    } catch (RejectedExecutionException e) {
      SluiceException stopping =
          new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping", e);
      synchronized (sending) {
        if (!failed) {
          failed = true;
          answers.onError(StatusMapping.toStatus(stopping));
        }
      }
    }
  }

  /** Nothing is left to do and nothing more will come; only then, and once. */
  private boolean isOver() {
    return ended && !first.busy && !second.busy && inserting == 0;
  }

  private void complete() {
    synchronized (sending) {
      if (!failed && !answers.isCancelled()) {
        answers.onCompleted();
      }
    }
  }

  @Override
  public void onError(Throwable gone) {
    cancelled();
  }

  private synchronized void cancelled() {
    queued.clear();
    queuedKeys = 0;
    ended = true;
  }

  @Override
  public void onCompleted() {
    synchronized (this) {
      ended = true;
      if (!isOver()) {
        return;
      }
    }
    complete();
  }

  private void ready() {
    int more;
    synchronized (this) {
      more = deferred;
      deferred = 0;
    }
    if (more > 0) {
      answers.request(more);
    }
  }

  /** A question waits for rows that are being made. */
  private synchronized void begun() {
    inserting++;
  }

  /** Rows were made, or could not be; on any thread. */
  private void made(PendingInsert insert) {
    synchronized (this) {
      inserting--;
      made.add(insert);
      if (first.busy || second.busy) {
        return;
      }
      first.busy = true;
    }
    start(first);
  }

  private void send(LookupAnswer answer) {
    synchronized (sending) {
      answered++;
      if (!failed && !answers.isCancelled()) {
        answers.onNext(answer);
      }
    }
  }

  private void takeMore() {
    int more;
    synchronized (sending) {
      more = answered;
      if (more < CREDIT_STEP) {
        return;
      }
      answered = 0;
    }
    if (answers.isReady()) {
      answers.request(more);
      return;
    }
    synchronized (this) {
      deferred += more;
    }
    if (answers.isReady()) {
      // It became ready before it could see what was deferred.
      ready();
    }
  }

  /** One turn after the other. Belongs to whoever has set it busy, or to the thread it runs on. */
  private final class Lane implements Runnable {
    private final LookupTurn turn =
        new LookupTurn(
            lookups, LookupStream.this::send, LookupStream.this::begun, LookupStream.this::made);
    private final List<LookupQuestion> questions = new ArrayList<>();
    private final List<PendingInsert> inserts = new ArrayList<>();

    // Guarded by the stream.
    private boolean busy;

    /** Answers a question that found nobody at work: here, or in the first turn. */
    void begin(LookupQuestion question) {
      LookupAnswer fromMemory = turn.fromMemory(question);
      if (fromMemory == null) {
        questions.add(question);
        start(this);
        return;
      }
      send(fromMemory);
      takeMore();
      if (take()) {
        start(this);
      }
    }

    @Override
    public void run() {
      boolean again = false;
      while (take()) {
        if (again && lookups.othersWait()) {
          // Behind them, so that calls without end do not keep the threads for themselves.
          start(this);
          return;
        }
        inserts.forEach(turn::resume);
        inserts.clear();
        turn.answer(questions);
        questions.clear();
        takeMore();
        again = true;
      }
    }

    /** Takes what the next turn answers; false when there is nothing, and the lane is free then. */
    private boolean take() {
      boolean last;
      synchronized (LookupStream.this) {
        inserts.addAll(made);
        made.clear();
        int keys = 0;
        for (LookupQuestion question : questions) {
          keys += keys(question);
        }
        while (keys < TURN_KEYS && !queued.isEmpty()) {
          LookupQuestion next = queued.remove();
          keys += keys(next);
          queuedKeys -= keys(next);
          questions.add(next);
        }
        if (!questions.isEmpty() || !inserts.isEmpty()) {
          return true;
        }
        busy = false;
        last = isOver();
      }
      if (last) {
        complete();
      }
      return false;
    }
  }
}
