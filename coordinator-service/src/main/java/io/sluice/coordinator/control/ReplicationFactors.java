package io.sluice.coordinator.control;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntToLongFunction;

/**
 * Gives the buckets that a table has as many replicas as its altered option says. They move as in
 * any reassignment: copies are made first, and a replica leaves when the others are in sync.
 */
final class ReplicationFactors {
  private ReplicationFactors() {}

  /** Whether the alteration says how many replicas there shall be. */
  static boolean concerns(TableAlteration alteration) {
    return wanted(alteration).isPresent();
  }

  private static Optional<String> wanted(TableAlteration alteration) {
    Optional<String> value = alteration.options().get(TableOptions.REPLICATION_FACTOR);
    return value == null ? Optional.empty() : value;
  }

  /** NOT_ENOUGH_SERVERS when the alteration wants more replicas than there are servers. */
  static void check(TablePath path, TableAlteration alteration, Placement placement) {
    Optional<String> text = wanted(alteration);
    if (text.isEmpty()) {
      return;
    }
    int factor =
        TableOptions.of(Map.of(TableOptions.REPLICATION_FACTOR, text.get())).replicationFactor(1);
    if (factor > placement.liveServers()) {
      throw notEnough(path, factor, placement.liveServers());
    }
  }

  /** Begins to move every bucket that has more or fewer replicas, or will have. */
  static CompletableFuture<Void> resize(
      MetadataLog log, MetadataImage image, Table table, IntToLongFunction diskUsedBytes) {
    int factor = table.replicationFactor();
    Placement placement = Placement.of(image.state(), diskUsedBytes);
    List<Command.Move> moves = new ArrayList<>();
    for (Bucket bucket : table.buckets()) {
      List<Integer> coming = bucket.moving() ? bucket.target() : bucket.replicas();
      if (coming.size() != factor) {
        if (factor > placement.liveServers()) {
          throw notEnough(table.path(), factor, placement.liveServers());
        }
        moves.add(new Command.Move(table.bucketId(bucket), placement.resized(coming, factor)));
      }
    }
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    int most = Command.ForReplicas.MAX_BUCKETS;
    for (int from = 0; from < moves.size(); from += most) {
      Command group =
          new Command.Reassign(moves.subList(from, Math.min(moves.size(), from + most)));
      done =
          done.thenCompose(before -> log.submit(group))
              .thenAccept(
                  applied ->
                      applied.outcome().orThrow().decisions().forEach(Outcome.Decision::orThrow));
    }
    return done;
  }

  private static SluiceException notEnough(TablePath path, int wanted, int live) {
    return new SluiceException(
        ErrorCode.NOT_ENOUGH_SERVERS,
        "Table "
            + path
            + " cannot have "
            + wanted
            + " replicas of each bucket: "
            + live
            + (live == 1 ? " tablet server is" : " tablet servers are")
            + " alive and not draining; start more or ask for fewer replicas");
  }
}
