package io.sluice.coordinator.tiering;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.metadata.LakeOffset;
import io.sluice.coordinator.metadata.LakeTable;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.metadata.Transition;
import io.sluice.coordinator.metadata.Transitions;
import io.sluice.protocol.tiering.v1.Assignment;
import io.sluice.protocol.tiering.v1.FailureScope;
import io.sluice.protocol.tiering.v1.Fence;
import io.sluice.protocol.tiering.v1.RoundFailed;
import io.sluice.protocol.tiering.v1.RoundFinished;
import io.sluice.protocol.tiering.v1.TableProgress;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import io.sluice.protocol.tiering.v1.WorkerReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The queue over a real state machine: what it submits is applied at once, what it orders is kept.
 * Time stands still until it is moved.
 */
final class QueueHarness {
  static final long FRESHNESS = 60_000;

  final TieringQueue queue;
  final List<String> notices = new ArrayList<>();
  ClusterState state =
      Fixtures.apply(
          ClusterState.EMPTY,
          new Command.Bootstrap("c1"),
          new Command.CreateDatabase("demo", "", 1),
          Fixtures.register(1, "tablet"));
  long nowMs = 1_000_000;

  /** Whether commands of the queue are lost. */
  boolean raftIsDown;

  private int rounds;

  QueueHarness() {
    this(TieringSettings.DEFAULT);
  }

  QueueHarness(TieringSettings settings) {
    queue = new TieringQueue(settings, new SplittableRandom(1));
    queue.restore(state, nowMs);
  }

  /** A worker's end of a stream. */
  static final class Stream implements WorkerSink {
    final List<Assignment> assigned = new ArrayList<>();
    final List<Fence> fenced = new ArrayList<>();
    SluiceException failure;
    boolean completed;

    @Override
    public void send(WorkerOrder order) {
      if (order.hasAssign()) {
        assigned.add(order.getAssign());
      } else {
        fenced.add(order.getFence());
      }
    }

    @Override
    public void requestNext() {}

    @Override
    public void fail(SluiceException reason) {
      failure = reason;
    }

    @Override
    public void complete() {
      completed = true;
    }

    Assignment lastAssigned() {
      return assigned.get(assigned.size() - 1);
    }
  }

  /** Creates a lake table of one bucket; answers its id. */
  long create(String name) {
    return create(name, FRESHNESS);
  }

  long create(String name, long freshnessMs) {
    Transition created =
        Transitions.apply(
            state,
            new Command.CreateTable(
                new TablePath("demo", name),
                Fixtures.SCHEMA,
                List.of(),
                Map.of(
                    "table.datalake.enabled",
                    "true",
                    "table.datalake.freshness",
                    freshnessMs + "ms"),
                "",
                nowMs,
                List.of(List.of(1))));
    state = created.state();
    settle();
    return created.outcome().orThrow().id();
  }

  /** Gives a table another freshness, as ALTER TABLE does. */
  void alter(long tableId, long freshnessMs) {
    Table table = state.table(tableId);
    Map<String, String> options = new HashMap<>(table.options());
    options.put("table.datalake.freshness", freshnessMs + "ms");
    apply(new Command.AlterTable(tableId, table.version(), null, options, table.comment()));
  }

  void drop(String name) {
    apply(new Command.DropTable(new TablePath("demo", name)));
  }

  /** Applies a command of somebody else's; it must hold. */
  void apply(Command command) {
    state = Fixtures.apply(state, command);
    settle();
  }

  /** Does what the queue decided until nothing is left to do. */
  void settle() {
    queue.sync(state, nowMs);
    for (List<QueueAction> actions = queue.drain(); !actions.isEmpty(); actions = queue.drain()) {
      actions.forEach(this::act);
      queue.sync(state, nowMs);
    }
  }

  private void act(QueueAction action) {
    if (action instanceof QueueAction.Submit submit) {
      submit(submit.command());
    } else if (action instanceof QueueAction.Order order) {
      order.sink().send(order.order());
    } else if (action instanceof QueueAction.End end) {
      if (end.failure() == null) {
        end.sink().complete();
      } else {
        end.sink().fail(end.failure());
      }
    } else if (action instanceof QueueAction.Notice notice) {
      notices.add(notice.severity() + " " + notice.text());
    }
  }

  private void submit(Command.ForLake command) {
    if (raftIsDown) {
      queue.commandFailed(
          command, new SluiceException(ErrorCode.TIMEOUT, "The fake log lost it"), nowMs);
      return;
    }
    Transition transition = Transitions.apply(state, command);
    state = transition.state();
    if (transition.outcome() instanceof Outcome.Rejected rejected) {
      queue.commandFailed(command, new SluiceException(rejected.code(), rejected.message()), nowMs);
    }
  }

  /** Moves time and lets the queue see it. */
  void pass(long millis) {
    nowMs += millis;
    tick();
  }

  void tick() {
    settle();
    queue.tick(nowMs);
    settle();
    // What a tick raised may be given out by the next one.
    queue.tick(nowMs);
    settle();
  }

  /** A report that names these tables at the given epochs. */
  void report(Stream stream, WorkerReport.Builder report) {
    queue.report(stream, report.build(), nowMs);
    tick();
  }

  static WorkerReport.Builder worker(String id, String incarnation, int slots) {
    return WorkerReport.newBuilder()
        .setWorkerId(id)
        .setIncarnation(incarnation)
        .setHost("h")
        .setVersion("v")
        .setSlots(slots);
  }

  static TableProgress has(Assignment assigned) {
    return has(assigned.getTableId(), assigned.getEpoch());
  }

  static TableProgress has(long tableId, long epoch) {
    return TableProgress.newBuilder()
        .setTableId(tableId)
        .setEpoch(epoch)
        .setRoundId("r")
        .setPhase("reading")
        .setRows(5)
        .setBytes(50)
        .build();
  }

  static RoundFinished finished(Assignment assigned, long snapshot, boolean more) {
    return RoundFinished.newBuilder()
        .setTableId(assigned.getTableId())
        .setEpoch(assigned.getEpoch())
        .setRoundId("r")
        .setSnapshotId(snapshot)
        .setDurationMs(1234)
        .setMore(more)
        .build();
  }

  static RoundFailed failed(Assignment assigned, FailureScope scope, String cause) {
    return RoundFailed.newBuilder()
        .setTableId(assigned.getTableId())
        .setEpoch(assigned.getEpoch())
        .setRoundId("r")
        .setScope(scope)
        .setCause(cause)
        .build();
  }

  /** The committer records that the round of that assignment brought ten rows more. */
  String commit(Assignment assigned) {
    LakeTable lake = lake(assigned.getTableId());
    long start = lake.offset(0, 0);
    String round = "round-" + ++rounds;
    apply(
        new Command.RoundCommitted(
            assigned.getTableId(),
            assigned.getEpoch(),
            round,
            1000 + rounds,
            List.of(new LakeOffset(0, 0, start)),
            List.of(new LakeOffset(0, 0, start + 10)),
            new LakeTable.LastRound(10, 100, 1, nowMs)));
    return round;
  }

  void hold(long tableId, LakeHold hold, String reason) {
    apply(new Command.SetLakeHold(tableId, hold, reason));
  }

  LakeTable lake(long tableId) {
    return state.lakes().get(tableId);
  }

  TieringState stateOf(long tableId) {
    return queue.state(tableId);
  }

  TableStatus status(long tableId) {
    return queue.tableStatus(tableId, nowMs);
  }
}
