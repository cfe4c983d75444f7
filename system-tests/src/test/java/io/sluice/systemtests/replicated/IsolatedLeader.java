package io.sluice.systemtests.replicated;

import io.sluice.client.Connection;
import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.UpsertWriter;
import io.sluice.common.TablePath;
import io.sluice.systemtests.replicated.History.Kind;
import io.sluice.systemtests.replicated.Scene.Target;
import java.util.ArrayList;
import java.util.List;

/**
 * A leader that nobody but its clients reaches any more, and a client that still asks it when
 * another one has been elected and has taken a newer row.
 */
final class IsolatedLeader {
  private static final long KEY = 7;
  private static final int FIRST = 1;
  private static final int SECOND = 2;

  private IsolatedLeader() {}

  /** Returns what is wrong with what that client reads, an empty text when nothing is. */
  static String read(Scene scene) {
    ReplicatedCluster cluster = scene.cluster();
    String database = "lease";
    Target target = new Target(database + ".cells", 0);
    cluster.connection().admin().createDatabase(database, true);
    KeyedTables.createCells(cluster.connection(), target.path(), 1, ReplicatedCluster.TABLETS);
    try (Connection old = Connection.open(Workload.config(cluster.processes().coordinators()));
        Lookuper lookuper = old.table(target.path()).lookuper()) {
      put(scene, target, FIRST);
      requireSeen(FIRST, number(lookuper, scene));
      int leader = scene.leader(target);
      List<Link> links = new ArrayList<>(scene.network().aroundPeers(leader));
      links.addAll(scene.network().toCoordinators(leader));
      scene.cut(links);
      cluster.awaitOtherLeader(target.path(), target.bucket(), leader);
      put(scene, target, SECOND);
      scene.note("another leader of " + target + " has taken a newer row");
      int seen = number(lookuper, scene);
      scene.heal();
      return seen == SECOND
          ? ""
          : "read-your-write: the isolated leader answers with row "
              + seen
              + " after row "
              + SECOND
              + " was acknowledged";
    } finally {
      scene.heal();
      cluster.connection().admin().dropTable(TablePath.parse(target.path()), true);
    }
  }

  private static void put(Scene scene, Target target, int number) {
    try (Connection fresh = Connection.open(Workload.config(scene.processes().coordinators()));
        UpsertWriter writer = fresh.table(target.path()).upsertWriter()) {
      writer.upsert(KeyedTables.cell((int) KEY, CellState.of(number, number)));
      writer.flush();
    }
  }

  private static int number(Lookuper lookuper, Scene scene) {
    return lookuper
        .find(Key.of(KEY))
        .map(row -> KeyedTables.state(Kind.CELLS, row, scene.workload().history()))
        .map(CellState::a)
        .orElse(0);
  }

  private static void requireSeen(int expected, int seen) {
    if (seen != expected) {
      throw new AssertionError("Row " + expected + " was acknowledged; a lookup sees " + seen);
    }
  }
}
