package io.sluice.coordinator.metadata;

import io.sluice.common.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/**
 * The state machine: a pure function from (state, command) to the next state. It reads no clock and
 * draws no random number, so every coordinator that applies the same commands has the same state,
 * byte for byte. A precondition that does not hold is a rejection, not an exception.
 */
public final class Transitions {
  private Transitions() {}

  /** Applies one command. */
  public static Transition apply(ClusterState state, Command command) {
    if (command instanceof Command.Bootstrap bootstrap) {
      return bootstrap(state, bootstrap);
    }
    if (command instanceof Command.CreateDatabase create) {
      return createDatabase(state, create);
    }
    if (command instanceof Command.DropDatabase drop) {
      return dropDatabase(state, drop);
    }
    if (command instanceof Command.CreateTable create) {
      return TableTransitions.create(state, create);
    }
    if (command instanceof Command.DropTable drop) {
      return TableTransitions.drop(state, drop);
    }
    if (command instanceof Command.ForTable forTable) {
      return TableTransitions.apply(state, forTable);
    }
    if (command instanceof Command.ForServer forServer) {
      return ServerTransitions.apply(state, forServer);
    }
    if (command instanceof Command.ForReplicas forReplicas) {
      return ReplicaTransitions.apply(state, forReplicas);
    }
    if (command instanceof Command.InitWriter init) {
      return initWriter(state, init);
    }
    if (command instanceof Command.ForLake forLake) {
      return LakeTransitions.apply(state, forLake);
    }
    throw new IllegalArgumentException("Unknown command " + command);
  }

  private static Transition bootstrap(ClusterState state, Command.Bootstrap command) {
    return Transition.accepted(
        state.clusterId().isEmpty() ? state.withClusterId(command.clusterId()) : state);
  }

  private static Transition createDatabase(ClusterState state, Command.CreateDatabase command) {
    if (state.databases().containsKey(command.name())) {
      return Transition.rejected(
          state, ErrorCode.DATABASE_EXISTS, "Database " + command.name() + " exists");
    }
    Database database = new Database(command.name(), command.comment(), command.nowMs());
    return Transition.accepted(
        state.withDatabases(state.databases().with(database.name(), database)));
  }

  private static Transition dropDatabase(ClusterState state, Command.DropDatabase command) {
    if (!state.databases().containsKey(command.name())) {
      return databaseNotFound(state, command.name());
    }
    List<Table> tables = new ArrayList<>();
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      if (entry.value().path().database().equals(command.name())) {
        tables.add(entry.value());
      }
    }
    if (!tables.isEmpty() && !command.cascade()) {
      return Transition.rejected(
          state,
          ErrorCode.DATABASE_NOT_EMPTY,
          "Database "
              + command.name()
              + " holds "
              + tables.size()
              + (tables.size() == 1 ? " table" : " tables")
              + "; drop them first, or drop the database with cascade");
    }
    ClusterState next = state.withDatabases(state.databases().without(command.name()));
    List<Event> events = new ArrayList<>();
    for (Table table : tables) {
      next = next.withoutTable(table);
      events.add(new Event.TableDropped(table));
    }
    return Transition.accepted(next, 0, 0, events);
  }

  private static Transition initWriter(ClusterState state, Command.InitWriter command) {
    if (command.name().isEmpty()) {
      return Transition.accepted(state.withWriterIdTaken(), state.nextWriterId(), 0, List.of());
    }
    Writer known = state.writers().get(command.name());
    if (known != null && known.epoch() == Writer.MAX_EPOCH) {
      return Transition.rejected(
          state,
          ErrorCode.INVALID_ARGUMENT,
          "Writer '"
              + command.name()
              + "' has been started "
              + (Writer.MAX_EPOCH + 1)
              + " times, as often as a name can be; go on under another name");
    }
    Writer writer =
        known == null
            ? new Writer(command.name(), state.nextWriterId(), 0)
            : new Writer(command.name(), known.writerId(), known.epoch() + 1);
    ClusterState next = known == null ? state.withWriterIdTaken() : state;
    return Transition.accepted(
        next.withWriter(writer),
        writer.writerId(),
        writer.epoch(),
        List.of(new Event.WriterStarted(writer.writerId(), writer.epoch())));
  }

  static Transition databaseNotFound(ClusterState state, String name) {
    return Transition.rejected(
        state,
        ErrorCode.DATABASE_NOT_FOUND,
        "Database " + name + " does not exist; create it first");
  }
}
