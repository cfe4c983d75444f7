package io.sluice.tiering.job;

import io.sluice.protocol.tiering.v1.FailureScope;
import io.sluice.protocol.tiering.v1.RoundFailed;
import io.sluice.protocol.tiering.v1.RoundFinished;
import io.sluice.protocol.tiering.v1.TableProgress;
import io.sluice.protocol.tiering.v1.WorkerReport;
import io.sluice.tiering.job.RoundResult.Dropped;
import io.sluice.tiering.job.RoundResult.Failed;
import io.sluice.tiering.job.RoundResult.Finished;
import io.sluice.tiering.job.RoundResult.Weight;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes reports, and remembers results until it is likely that they have arrived: those of the last
 * two report intervals go again to the next coordinator. Used by the session's thread only.
 */
final class WorkerReports {
  private final WorkerIdentity identity;
  private final Worker worker;
  private List<RoundReport> sentBefore = new ArrayList<>();
  private List<RoundReport> sentNow = new ArrayList<>();

  WorkerReports(WorkerIdentity identity, Worker worker) {
    this.identity = identity;
    this.worker = worker;
  }

  /** The first report of a stream, with the results that the stream before may have lost. */
  WorkerReport first() {
    List<RoundReport> again = new ArrayList<>(sentBefore);
    again.addAll(sentNow);
    sentBefore = new ArrayList<>();
    sentNow = again;
    return report(again);
  }

  /** A report with what has changed. */
  WorkerReport next() {
    return report(List.of());
  }

  /** A report interval has passed on a stream that still stands. */
  void intervalPassed() {
    sentBefore = sentNow;
    sentNow = new ArrayList<>();
  }

  private WorkerReport report(List<RoundReport> again) {
    WorkerReport.Builder report =
        WorkerReport.newBuilder()
            .setWorkerId(identity.workerId())
            .setIncarnation(identity.incarnation())
            .setHost(identity.host())
            .setVersion(identity.version())
            .setSlots(worker.slots());
    again.forEach(result -> add(report, result));
    Worker.Changes changes = worker.takeChanges();
    for (RoundReport result : changes.results()) {
      add(report, result);
      sentNow.add(result);
    }
    for (RoundStatus round : changes.rounds()) {
      report.addTables(
          TableProgress.newBuilder()
              .setTableId(round.tableId())
              .setEpoch(round.epoch())
              .setRoundId(round.roundId())
              .setPhase(round.phase())
              .setRows(round.rows())
              .setBytes(round.bytes()));
    }
    return report.build();
  }

  private static void add(WorkerReport.Builder report, RoundReport ended) {
    RoundResult result = ended.result();
    if (result instanceof Finished finished) {
      report.addFinished(
          RoundFinished.newBuilder()
              .setTableId(ended.key().tableId())
              .setEpoch(ended.key().epoch())
              .setRoundId(ended.key().roundId())
              .setSnapshotId(finished.snapshotId())
              .setRows(finished.rows())
              .setBytes(finished.bytes())
              .setFiles(finished.files())
              .setDurationMs(ended.durationMs())
              .setMore(finished.more()));
    } else if (result instanceof Failed failed) {
      report.addFailed(failed(ended, failed.cause(), failed.scope(), failed.weight()));
    } else if (result instanceof Dropped dropped) {
      report.addFailed(
          failed(ended, dropped.reason(), FailureScope.FAILURE_TABLE, Weight.SUPERSEDED));
    }
  }

  private static RoundFailed failed(
      RoundReport ended, String cause, FailureScope scope, Weight weight) {
    return RoundFailed.newBuilder()
        .setTableId(ended.key().tableId())
        .setEpoch(ended.key().epoch())
        .setRoundId(ended.key().roundId())
        .setCause(cause)
        .setScope(scope)
        .setSuperseded(weight == Weight.SUPERSEDED)
        .setOutage(weight == Weight.OUTAGE)
        .build();
  }
}
