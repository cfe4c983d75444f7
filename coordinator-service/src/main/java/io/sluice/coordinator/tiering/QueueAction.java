package io.sluice.coordinator.tiering;

import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.protocol.tiering.v1.WorkerOrder;
import org.jspecify.annotations.Nullable;

/** What the queue wants done; it does nothing by itself. */
sealed interface QueueAction {

  /** Send a command through Raft; {@link TieringQueue#commandFailed} when it does not hold. */
  record Submit(Command.ForLake command) implements QueueAction {}

  /** Send an order to a worker. */
  record Order(WorkerSink sink, WorkerOrder order) implements QueueAction {}

  /** End a stream, in order without a failure. */
  record End(WorkerSink sink, @Nullable SluiceException failure) implements QueueAction {}

  /** Say what an operator should know. */
  record Notice(Severity severity, String text) implements QueueAction {}

  /** How much of the operator's attention a notice wants. */
  enum Severity {
    INFO,
    WARN,
    ERROR
  }
}
