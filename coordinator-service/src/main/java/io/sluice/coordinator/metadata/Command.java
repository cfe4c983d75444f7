package io.sluice.coordinator.metadata;

import io.sluice.common.TablePath;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.Map;

/**
 * One change of the cluster's metadata, as it goes through Raft. A command carries every time and
 * every choice made for it (placement, cluster id): applying it again gives the same state.
 */
public sealed interface Command {

  /** Gives a new cluster its id; does nothing when it has one. */
  record Bootstrap(String clusterId) implements Command {}

  /** Creates a database; rejected with DATABASE_EXISTS. */
  record CreateDatabase(String name, String comment, long nowMs) implements Command {}

  /** Drops a database; rejected with DATABASE_NOT_FOUND, or DATABASE_NOT_EMPTY unless cascading. */
  record DropDatabase(String name, boolean cascade) implements Command {}

  /**
   * Creates a checked table; rejected with DATABASE_NOT_FOUND, TABLE_EXISTS, or NOT_ENOUGH_SERVERS
   * when a server of the placement is no longer alive. Accepted with the table's id.
   *
   * @param placement for each bucket its replicas, the preferred leader first
   */
  record CreateTable(
      TablePath path,
      TableSchema schema,
      List<String> bucketKey,
      Map<String, String> options,
      String comment,
      long nowMs,
      List<List<Integer>> placement)
      implements Command {
    public CreateTable {
      bucketKey = List.copyOf(bucketKey);
      options = Map.copyOf(options);
      placement = placement.stream().map(List::copyOf).toList();
    }
  }

  /** Drops a table; rejected with TABLE_NOT_FOUND. Accepted with the table's id. */
  record DropTable(TablePath path) implements Command {}

  /** Opens or renews a server's session and elects leaders for what it may lead. */
  record RegisterServer(TabletServer.Registration registration, long nowMs) implements Command {}

  /**
   * Ends the session of that incarnation, moves the server's leaderships and takes it out of every
   * in-sync set that has another member. Does nothing when another incarnation has registered.
   */
  record EndSession(int serverId, String incarnation) implements Command {}

  /**
   * Gives a writer its id and next epoch: a fresh id and epoch 0 for a new or an empty name.
   * Accepted with both.
   */
  record InitWriter(String name) implements Command {}
}
