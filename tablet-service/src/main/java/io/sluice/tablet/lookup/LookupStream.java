package io.sluice.tablet.lookup;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.lookup.LookupAnswer;
import io.sluice.protocol.lookup.LookupQuestion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One lookup call. A small question that finds nobody at work is answered where it arrives, when
 * that needs no file. All others are answered in turns on the lookup threads, one turn at a time:
 * what has arrived while a turn ran is answered together in the next. At most {@link
 * #MAX_UNANSWERED} questions are taken in ahead of their answers, none while the client does not
 * take answers. Whoever has set {@code running} is the only one to answer.
 */
final class LookupStream implements StreamObserver<LookupQuestion>, Runnable {
  private static final int MAX_UNANSWERED = 256;

  /** Answered questions that are made good at once: each time is a task of the transport. */
  private static final int CREDIT_STEP = MAX_UNANSWERED / 4;

  private final RowLookups lookups;
  private final ServerCallStreamObserver<LookupAnswer> answers;
  // Of whoever is running.
  private final LookupTurn turn;
  private int answered;

  // Guarded by this.
  private List<LookupQuestion> queued = new ArrayList<>();
  private List<PendingInsert> made = new ArrayList<>();
  private int inserting;
  private int deferred;
  private boolean running;
  private boolean ended;

  LookupStream(RowLookups lookups, ServerCallStreamObserver<LookupAnswer> answers) {
    this.lookups = lookups;
    this.answers = answers;
    this.turn = new LookupTurn(lookups, this::send, this::begun, this::made);
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
    synchronized (this) {
      if (running) {
        queued.add(question);
        return;
      }
      running = true;
    }
    LookupAnswer fromMemory = turn.fromMemory(question);
    if (fromMemory != null) {
      send(fromMemory);
      takeMore();
      finishOrGoOn(null);
    } else {
      finishOrGoOn(question);
    }
  }

  /**
   * Gives the stream free, or has its next turn run.
   *
   * @param first a question to answer before those that have come since, null for none
   */
  private void finishOrGoOn(@Nullable LookupQuestion first) {
    boolean last;
    synchronized (this) {
      if (first != null) {
        queued.add(0, first);
      }
      running = !queued.isEmpty() || !made.isEmpty();
      last = isOver();
      if (!running && !last) {
        return;
      }
    }
    if (last) {
      complete();
    } else {
      startTurn();
    }
  }

  private void startTurn() {
    try {
      lookups.threads().execute(this);
    } catch (RejectedExecutionException e) {
      answers.onError(
          StatusMapping.toStatus(
              new SluiceException(ErrorCode.UNAVAILABLE, "This server is stopping", e)));
    }
  }

  /** Nothing is left to do and nothing more will come; only then, and once. */
  private boolean isOver() {
    return ended && !running && inserting == 0;
  }

  private void complete() {
    if (!answers.isCancelled()) {
      answers.onCompleted();
    }
  }

  @Override
  public void onError(Throwable gone) {
    cancelled();
  }

  private synchronized void cancelled() {
    queued.clear();
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

  @Override
  public void run() {
    while (true) {
      List<LookupQuestion> batch;
      List<PendingInsert> inserted;
      boolean last;
      synchronized (this) {
        batch = queued;
        queued = new ArrayList<>();
        inserted = made;
        made = new ArrayList<>();
        running = !batch.isEmpty() || !inserted.isEmpty();
        last = isOver();
      }
      if (batch.isEmpty() && inserted.isEmpty()) {
        if (last) {
          complete();
        }
        return;
      }
      inserted.forEach(turn::resume);
      turn.answer(batch);
      takeMore();
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
      if (running) {
        return;
      }
      running = true;
    }
    startTurn();
  }

  private void send(LookupAnswer answer) {
    answered++;
    if (!answers.isCancelled()) {
      answers.onNext(answer);
    }
  }

  private void takeMore() {
    if (answered < CREDIT_STEP) {
      return;
    }
    int more = answered;
    answered = 0;
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
}
