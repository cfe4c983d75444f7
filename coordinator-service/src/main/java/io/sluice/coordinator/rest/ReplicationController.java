package io.sluice.coordinator.rest;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.coordinator.balance.BalancePlanner;
import io.sluice.coordinator.balance.Balancer;
import io.sluice.coordinator.balance.ReplicaOperations;
import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.metadata.Bucket;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.ServerLoads;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.rest.Views.BucketView;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/replication}, rebalancing, and what is done with replicas and servers. */
@RestController
@RequestMapping("/api/v1")
public final class ReplicationController {
  private static final int NAMED_PARTITIONS = 10;

  private final Catalog catalog;
  private final ReplicaOperations operations;

  public ReplicationController(Catalog catalog, ReplicaOperations operations) {
    this.catalog = catalog;
    this.operations = operations;
  }

  /** How the buckets of the cluster are. */
  record ReplicationView(
      int buckets, int offline, int underMinInsync, int underReplicated, int moving) {}

  /** A bucket that is not as it should be, or is being moved. */
  record ListedBucket(String database, String table, long tableId, BucketView bucket) {}

  /** One change of a plan. */
  record StepView(
      String table,
      long tableId,
      long partitionId,
      int bucket,
      List<Integer> from,
      List<Integer> to,
      List<Integer> copiesTo) {
    static StepView of(BalancePlanner.Step step) {
      return new StepView(
          step.table(),
          step.bucket().tableId(),
          step.bucket().partitionId(),
          step.bucket().bucket(),
          step.from(),
          step.to(),
          step.copiesTo());
    }
  }

  /** A plan that nobody has begun. */
  record PlanView(int changes, int copies, List<StepView> steps) {
    static PlanView of(List<BalancePlanner.Step> steps) {
      return new PlanView(
          steps.size(),
          steps.stream().mapToInt(step -> step.copiesTo().size()).sum(),
          steps.stream().map(StepView::of).toList());
    }
  }

  /** How far a rebalance is. */
  record ProgressView(
      String state,
      int total,
      int waiting,
      List<StepView> moving,
      int done,
      int failed,
      String lastFailure,
      long startedMs,
      long leadsSinceMs) {
    static ProgressView of(Balancer.Progress progress) {
      return new ProgressView(
          progress.state().name(),
          progress.total(),
          progress.waiting(),
          progress.moving().stream().map(StepView::of).toList(),
          progress.done(),
          progress.failed(),
          progress.lastFailure(),
          progress.startedMs(),
          progress.leadsSinceMs());
    }
  }

  /** The body of a move. */
  record Reassignment(
      @NotEmpty(message = "is missing; name the servers, the preferred leader first") List<@NotNull Integer> replicas) {}

  /**
   * The body of an unclean election.
   *
   * @param acceptDataLoss must be true: committed records that the server lacks are lost
   */
  record UncleanElection(
      @NotNull(message = "is missing; name the server that is to lead") Integer serverId,
      boolean acceptDataLoss) {}

  @GetMapping("/replication")
  ResponseEntity<ReplicationView> status() {
    MetadataImage image = Answers.await(catalog.image());
    ServerLoads loads = ServerLoads.of(image.state());
    return Answers.tagged(
        image,
        new ReplicationView(
            loads.buckets(),
            loads.offlineBuckets(),
            loads.underMinInsync(),
            loads.underReplicated(),
            loads.moving()));
  }

  @GetMapping("/replication/buckets")
  ResponseEntity<Page<ListedBucket>> buckets(
      @RequestParam String state,
      @RequestParam(defaultValue = "0") int offset,
      @RequestParam(defaultValue = Page.DEFAULT_LIMIT) int limit) {
    Wanted wanted = Wanted.of(state);
    MetadataImage image = Answers.await(catalog.image());
    List<ListedBucket> found = new ArrayList<>();
    for (PersistentMap.Entry<Long, Table> entry : image.state().tables()) {
      Table table = entry.value();
      for (Bucket bucket : table.buckets()) {
        if (wanted.matches(bucket)) {
          found.add(
              new ListedBucket(
                  table.path().database(),
                  table.path().table(),
                  table.tableId(),
                  BucketView.of(image.state(), bucket)));
        }
      }
    }
    return Answers.tagged(image, Page.of(found, offset, limit));
  }

  private enum Wanted {
    OFFLINE,
    UNDER_MIN_INSYNC,
    UNDER_REPLICATED,
    MOVING;

    static Wanted of(String text) {
      for (Wanted wanted : values()) {
        if (wanted.text().equals(text)) {
          return wanted;
        }
      }
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "state is '"
              + text
              + "'; it must be one of offline, under-min-insync, under-replicated, moving");
    }

    private String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean matches(Bucket bucket) {
      return switch (this) {
        case OFFLINE -> !bucket.hasLeader();
        case UNDER_MIN_INSYNC -> bucket.isr().size() < bucket.minInsync();
        case UNDER_REPLICATED -> bucket.underReplicated();
        case MOVING -> bucket.moving();
      };
    }
  }

  @GetMapping("/rebalance/plan")
  PlanView plan() {
    return PlanView.of(Answers.await(operations.plan()));
  }

  @GetMapping("/rebalance")
  ProgressView progress() {
    return ProgressView.of(operations.progress());
  }

  @PostMapping("/rebalance")
  ResponseEntity<ProgressView> rebalance() {
    return ResponseEntity.status(HttpStatus.ACCEPTED)
        .body(ProgressView.of(Answers.await(operations.rebalance())));
  }

  @DeleteMapping("/rebalance")
  ProgressView cancel() {
    return ProgressView.of(Answers.await(operations.cancel()));
  }

  @PostMapping("/elections/preferred")
  ElectedView electPreferred() {
    return new ElectedView(Answers.await(operations.electPreferred()));
  }

  /** How many buckets were not led by their preferred replica before. */
  record ElectedView(int buckets) {}

  @PostMapping("/servers/{serverId}/drain")
  ResponseEntity<ProgressView> drain(@PathVariable int serverId) {
    return ResponseEntity.status(HttpStatus.ACCEPTED)
        .body(ProgressView.of(Answers.await(operations.drain(serverId))));
  }

  @PostMapping("/servers/{serverId}/activate")
  ResponseEntity<Void> activate(@PathVariable int serverId) {
    Answers.await(operations.activate(serverId));
    return ResponseEntity.noContent().build();
  }

  @PostMapping("/servers/{serverId}/decommission")
  ResponseEntity<Void> decommission(@PathVariable int serverId) {
    Answers.await(operations.decommission(serverId));
    return ResponseEntity.noContent().build();
  }

  @PostMapping("/tables/{database}/{table}/buckets/{bucket}/reassign")
  ResponseEntity<Void> reassign(
      @PathVariable String database,
      @PathVariable String table,
      @PathVariable int bucket,
      @RequestParam(defaultValue = "0") long partitionId,
      @Valid @RequestBody Reassignment body) {
    Answers.await(
        operations.reassign(bucket(database, table, partitionId, bucket), body.replicas()));
    return ResponseEntity.accepted().build();
  }

  @DeleteMapping("/tables/{database}/{table}/buckets/{bucket}/reassign")
  ResponseEntity<Void> cancelMove(
      @PathVariable String database,
      @PathVariable String table,
      @PathVariable int bucket,
      @RequestParam(defaultValue = "0") long partitionId) {
    Answers.await(operations.cancelMove(bucket(database, table, partitionId, bucket)));
    return ResponseEntity.noContent().build();
  }

  @PostMapping("/tables/{database}/{table}/buckets/{bucket}/elect-unclean")
  ResponseEntity<Void> electUnclean(
      @PathVariable String database,
      @PathVariable String table,
      @PathVariable int bucket,
      @RequestParam(defaultValue = "0") long partitionId,
      @Valid @RequestBody UncleanElection body) {
    if (!body.acceptDataLoss()) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "An unclean election loses the committed records that server "
              + body.serverId()
              + " does not have; say acceptDataLoss: true if that is wanted");
    }
    Answers.await(
        operations.electUnclean(bucket(database, table, partitionId, bucket), body.serverId()));
    return ResponseEntity.noContent().build();
  }

  private TableBucket bucket(String database, String name, long partitionId, int bucket) {
    Table table = Answers.await(catalog.table(new TablePath(database, name))).value();
    Bucket found = table.bucket(partitionId, bucket);
    if (found == null) {
      throw new SluiceException(
          ErrorCode.BUCKET_NOT_FOUND,
          "Table " + table.path() + whyNoBucket(table, partitionId, bucket));
    }
    return table.bucketId(found);
  }

  private static String whyNoBucket(Table table, long partitionId, int bucket) {
    if (table.partitioned() && partitionId == 0) {
      return " is partitioned: name the partition of bucket "
          + bucket
          + " by its id (partitionId, --partition-id). It has "
          + partitions(table);
    }
    if (table.partitioned() && table.partition(partitionId) == null) {
      return " has no partition with id " + partitionId + "; it has " + partitions(table);
    }
    if (!table.partitioned() && partitionId != 0) {
      return " is not partitioned: leave out the partition id, which is " + partitionId;
    }
    return " has no bucket "
        + bucket
        + (partitionId == 0 ? "" : " in partition " + partitionId)
        + "; its buckets are 0 to "
        + (table.bucketCount() - 1);
  }

  private static String partitions(Table table) {
    List<Partition> all = table.partitions();
    String some =
        all.stream()
            .limit(NAMED_PARTITIONS)
            .map(one -> one.partitionId() + " (" + String.join("/", one.values()) + ")")
            .collect(Collectors.joining(", "));
    int others = all.size() - NAMED_PARTITIONS;
    return all.isEmpty() ? "no partition" : some + (others > 0 ? " and " + others + " more" : "");
  }
}
