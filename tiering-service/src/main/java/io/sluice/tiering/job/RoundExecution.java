package io.sluice.tiering.job;

import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.tiering.v1.FailureScope;
import io.sluice.tiering.commit.CommitOutcome;
import io.sluice.tiering.commit.Committer;
import io.sluice.tiering.commit.Lake;
import io.sluice.tiering.commit.PreparedRound;
import io.sluice.tiering.commit.RoundCommit;
import io.sluice.tiering.job.RoundResult.Dropped;
import io.sluice.tiering.job.RoundResult.Failed;
import io.sluice.tiering.job.RoundResult.Finished;
import io.sluice.tiering.read.LogSource;
import io.sluice.tiering.read.TableLog;
import io.sluice.tiering.write.LakeTarget;
import io.sluice.tiering.write.RoundFiles;
import io.sluice.tiering.write.WriteSettings;
import io.sluice.tiering.write.WrittenFile;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Does rounds: freezes a plan, reads it, writes files, has them committed. Stateless; any number of
 * rounds at once, each on the thread that calls.
 */
final class RoundExecution {
  private static final Duration POLL = Duration.ofMillis(500);

  private final LogSource source;
  private final Lake lake;
  private final Committer committer;
  private final RoundPlanner planner;
  private final WriteSettings settings;
  private final CoordinatorContact contact;
  private final RoundObserver observer;
  private final TimeSource clock;

  RoundExecution(WorkerParts parts) {
    this.source = parts.source();
    this.lake = parts.lake();
    this.committer = parts.committer();
    this.planner = parts.planner();
    this.settings = parts.settings();
    this.contact = parts.contact();
    this.observer = parts.observer();
    this.clock = parts.clock();
  }

  /** What a round has in hand. */
  private static final class Work {
    final PreparedRound prepared;
    final TableLog log;
    final RoundPlan plan;
    final RoundFiles files;
    final Map<Integer, Long> ends = new HashMap<>();
    long rows;
    boolean forced;

    Work(PreparedRound prepared, TableLog log, RoundPlan plan, RoundFiles files) {
      this.prepared = prepared;
      this.log = log;
      this.plan = plan;
      this.files = files;
    }
  }

  /** Runs the round to its end; every failure is a result. */
  RoundResult run(Round round) {
    RoundResult result;
    try {
      result = attempt(round);
    } catch (RoundAbortedException e) {
      result = new Dropped(String.valueOf(e.getMessage()));
    } catch (RoundFailedException e) {
      result = ended(round, e.result());
    } catch (RuntimeException | Error e) {
      result = ended(round, FailureScopes.of(e));
    }
    observer.phaseEnded(round.phase(), round.end());
    observer.ended(result);
    return result;
  }

  /** A round that was told to stop fails in many ways, none of which matters. */
  private static RoundResult ended(Round round, Failed failed) {
    String reason = round.abortReason();
    return reason == null ? failed : new Dropped(reason);
  }

  private RoundResult attempt(Round round) {
    enter(round, RoundPhase.PLANNING);
    Work work = plan(round);
    if (work == null) {
      return Finished.NOTHING_NEW;
    }
    try (RoundFiles files = work.files) {
      List<WrittenFile> written = write(round, work);
      // From here on the files stay unless the committer says no.
      return commit(round, work, written);
    }
  }

  /** Reads the plan into durable files; when that fails nothing of them is left. */
  private List<WrittenFile> write(Round round, Work work) {
    try {
      enter(round, RoundPhase.READING);
      read(round, work);
      enter(round, RoundPhase.WRITING);
      List<WrittenFile> written = work.files.finish();
      checkContact(round);
      enter(round, RoundPhase.COMMITTING);
      return written;
    } catch (RuntimeException | Error e) {
      // An interrupted thread could not open a directory.
      Thread.interrupted();
      work.files.delete();
      throw e;
    }
  }

  private void enter(Round round, RoundPhase phase) {
    RoundPhase before = round.phase();
    observer.phaseEnded(before, round.enter(phase));
  }

  /** Freezes the plan; null when there is nothing new. */
  private @Nullable Work plan(Round round) {
    RoundAssignment assignment = round.assignment();
    PreparedRound prepared;
    try {
      prepared = lake.prepare(round.key());
    } catch (SluiceException e) {
      throw new RoundFailedException(FailureScopes.ofLake(e.code(), e.getMessage()), e);
    }
    round.checkGoOn();
    TableLog log = source.open(assignment.path(), assignment.tableId());
    RoundPlan plan = planner.plan(assignment.path(), prepared.offsets(), log.buckets());
    if (plan.isEmpty()) {
      return null;
    }
    LakeTarget target =
        LakeTarget.of(
            assignment.path(), log.schema(), prepared.icebergSchema(), prepared.icebergSpec());
    return new Work(prepared, log, plan, new RoundFiles(target, settings, prepared.location()));
  }

  private void read(Round round, Work work) {
    work.ends.putAll(work.plan.starts());
    long freshnessNanos = TimeUnit.MILLISECONDS.toNanos(round.assignment().freshnessMs());
    long firstNanos = 0;
    boolean first = true;
    try (LogScanner scanner = work.log.scan(work.plan.starts(), work.plan.ends())) {
      while (!scanner.finished() && !work.forced) {
        List<ScanBatch> batches = scanner.poll(POLL);
        try {
          for (ScanBatch batch : batches) {
            round.checkGoOn();
            copy(round, work, batch);
            if (first) {
              first = false;
              firstNanos = clock.nanoTime();
            } else if (clock.nanoTime() - firstNanos >= freshnessNanos) {
              work.forced = true;
              break;
            }
          }
        } finally {
          batches.forEach(ScanBatch::close);
        }
        round.checkGoOn();
      }
    }
    if (!work.forced) {
      checkComplete(round, work);
    } else {
      // The plan may have been read to its end just then.
      work.forced = !work.ends.equals(work.plan.ends());
    }
  }

  private void copy(Round round, Work work, ScanBatch batch) {
    int bucket = batch.bucket();
    long expected = Objects.requireNonNullElse(work.ends.get(bucket), -1L);
    if (batch.baseOffset() != expected
        || batch.nextOffset() - batch.baseOffset() != batch.rowCount()) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Bucket "
              + bucket
              + " of "
              + round.assignment().path()
              + " has a gap: read on at offset "
              + expected
              + ", got "
              + batch.rowCount()
              + " rows from "
              + batch.baseOffset()
              + " to "
              + batch.nextOffset());
    }
    work.files.write(bucket, batch.baseOffset(), batch.vectors());
    work.ends.put(bucket, batch.nextOffset());
    work.rows += batch.rowCount();
    round.progress(work.rows, work.files.bytes());
    batch.close();
  }

  private static void checkComplete(Round round, Work work) {
    if (!work.ends.equals(work.plan.ends())) {
      throw new SluiceException(
          ErrorCode.INTERNAL,
          "The scan of "
              + round.assignment().path()
              + " ended at "
              + work.ends
              + "; the plan was "
              + work.plan.ends());
    }
  }

  /** A worker that nobody has heard of for long has been fenced: its commit would be refused. */
  private void checkContact(Round round) {
    if (contact.lost()) {
      round.abort(contact.reason());
      round.checkGoOn();
    }
  }

  private RoundResult commit(Round round, Work work, List<WrittenFile> written) {
    Map<Integer, Long> starts = new HashMap<>();
    Map<Integer, Long> ends = new HashMap<>();
    work.ends.forEach(
        (bucket, end) -> {
          long start = work.plan.starts().getOrDefault(bucket, 0L);
          if (end > start) {
            starts.put(bucket, start);
            ends.put(bucket, end);
          }
        });
    RoundCommit commit = new RoundCommit(round.key(), work.prepared.fence(), starts, ends, written);
    round.progress(commit.rows(), commit.bytes());
    CommitOutcome outcome = committer.commit(commit, round::pause);
    if (outcome instanceof CommitOutcome.Committed committed) {
      boolean more = work.plan.more() || work.forced;
      return new Finished(
          committed.snapshotId(), commit.rows(), commit.bytes(), written.size(), more);
    }
    if (outcome instanceof CommitOutcome.Refused refused) {
      work.files.delete();
      return FailureScopes.ofLake(refused.code(), refused.message());
    }
    return ended(
        round,
        new Failed(
            "The outcome of the commit is unknown; its files stay in "
                + work.prepared.location()
                + ": "
                + outcome,
            FailureScope.FAILURE_LAKE,
            RoundResult.Weight.COUNTED));
  }

  /** Carries a result up. */
  private static final class RoundFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Failed result;

    RoundFailedException(Failed result, Throwable cause) {
      super(result.cause(), cause);
      this.result = result;
    }

    Failed result() {
      return result;
    }
  }
}
