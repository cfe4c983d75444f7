package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.partition.PartitionCache;
import io.sluice.protocol.metadata.v1.CreatePartitionRequest;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.tablet.flight.TableDirectory.Located;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The partitions that one upload writes into, numbered in the order in which it meets them. One
 * that does not exist is made by the coordinator, which says whether its values are allowed. Blocks
 * for a bounded time. One owner, not thread-safe.
 */
final class UploadPartitions implements PartitionCache.Source<Integer> {
  private final TableDirectory directory;
  private final PutTargets targets;
  private final Map<List<String>, Long> known = new HashMap<>();
  private final List<Long> met = new ArrayList<>();
  private Located table;

  UploadPartitions(TableDirectory directory, PutTargets targets, Located table) {
    this.directory = directory;
    this.targets = targets;
    this.table = table;
    learn(table);
  }

  private void learn(Located now) {
    known.clear();
    now.partitions().forEach((id, values) -> known.put(values, id));
  }

  /** How many the upload has met. */
  int count() {
    return met.size();
  }

  /** Id of the partition of that number. */
  long id(int number) {
    return met.get(number);
  }

  /**
   * Number of the partition of these values.
   *
   * @throws SluiceException INVALID_PARTITION or TOO_MANY_PARTITIONS when it cannot be made,
   *     TABLE_CHANGED, UNAVAILABLE
   */
  @Override
  public Integer partition(List<String> values) {
    Long id = known.get(values);
    if (id == null) {
      id = create(values);
    }
    int number = met.indexOf(id);
    if (number >= 0) {
      return number;
    }
    met.add(id);
    return met.size() - 1;
  }

  private long create(List<String> values) {
    CreatePartitionRequest request =
        CreatePartitionRequest.newBuilder()
            .setDatabase(table.path().database())
            .setTable(table.path().table())
            .setTableId(table.tableId())
            .addAllValues(values)
            .setIgnoreIfExists(true)
            .build();
    PartitionInfo created = directory.metadata().change(stub -> stub.createPartition(request));
    Located now = directory.locate(table.path());
    if (now.tableId() != table.tableId()) {
      throw new SluiceException(
          ErrorCode.TABLE_CHANGED,
          "Table " + table.path() + " was dropped and created again during the upload");
    }
    table = now;
    learn(now);
    known.put(values, created.getPartitionId());
    targets.located(now);
    if (now.info() != null) {
      // Who leads it may follow a moment later: puts are tried again until their time-out.
      directory.awaitArrival(now.info(), created.getPartitionId());
    }
    return created.getPartitionId();
  }
}
