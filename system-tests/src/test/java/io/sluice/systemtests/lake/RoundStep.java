package io.sluice.systemtests.lake;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.protocol.tiering.v1.WorkerReport;
import io.sluice.systemtests.relay.Moment;
import io.sluice.systemtests.relay.Relayed;

/** The steps of a round, in their order, as the relays between the services see them. */
enum RoundStep {
  BEFORE_PREPARE(Link.WORKER_TO_LAKE, "PrepareRound", Moment.ASKED),
  AFTER_PREPARE(Link.WORKER_TO_LAKE, "PrepareRound", Moment.ANSWERED),
  /** The worker has its answer; then the first file below {@code data/} counts. */
  FILES_BEING_WRITTEN(Link.WORKER_TO_LAKE, "PrepareRound", Moment.ANSWERED_ON),
  BEFORE_COMMIT(Link.WORKER_TO_LAKE, "CommitRound", Moment.ASKED),
  /** The lake asks whether the epoch is current: while it prepares, and again before it commits. */
  BEFORE_STATE_IS_KNOWN(Link.LAKE_TO_COORDINATOR, "GetLakeState", Moment.ASKED),
  AFTER_STATE_IS_KNOWN(Link.LAKE_TO_COORDINATOR, "GetLakeState", Moment.ANSWERED),
  /** The lake has the request; then the first file below {@code metadata/} counts. */
  ICEBERG_COMMITTING(Link.WORKER_TO_LAKE, "CommitRound", Moment.ASKED_ON),
  /** The same, and the new table metadata is there: the catalog is about to point to it. */
  ICEBERG_METADATA_WRITTEN(Link.WORKER_TO_LAKE, "CommitRound", Moment.ASKED_ON),
  BEFORE_RECORD(Link.LAKE_TO_COORDINATOR, "RoundCommitted", Moment.ASKED),
  AFTER_RECORD(Link.LAKE_TO_COORDINATOR, "RoundCommitted", Moment.ANSWERED),
  AFTER_COMMIT(Link.WORKER_TO_LAKE, "CommitRound", Moment.ANSWERED),
  BEFORE_FINISHED_REPORT(Link.WORKER_TO_COORDINATOR, "Work", Moment.ASKED),
  AFTER_FINISHED_REPORT(Link.WORKER_TO_COORDINATOR, "Work", Moment.ASKED_ON);

  /** Between whom. */
  enum Link {
    WORKER_TO_LAKE,
    LAKE_TO_COORDINATOR,
    WORKER_TO_COORDINATOR
  }

  private final Link link;
  private final String method;
  private final Moment moment;

  RoundStep(Link link, String method, Moment moment) {
    this.link = link;
    this.method = method;
    this.moment = moment;
  }

  /** Where the message passes by. */
  Link link() {
    return link;
  }

  /** Whether a message on that link is the one of this step. */
  boolean matches(Relayed message) {
    if (!message.is(method, moment)) {
      return false;
    }
    if (this != BEFORE_FINISHED_REPORT && this != AFTER_FINISHED_REPORT) {
      return true;
    }
    try {
      return WorkerReport.parseFrom(message.bytes()).getFinishedCount() > 0;
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("A worker sent what is no report", e);
    }
  }
}
