package io.sluice.client.fake;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.metadata.v1.BucketInfo;
import io.sluice.protocol.metadata.v1.Endpoint;
import io.sluice.protocol.metadata.v1.PartitionInfo;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The partitions of the table, none when it is not partitioned. Thread-safe. */
public final class FakePartitions {
  /** One partition. */
  public static final class Partition {
    private final List<String> values;
    private final List<FakeBucket> buckets = new ArrayList<>();
    private final List<FakeRows> rows = new ArrayList<>();

    Partition(List<String> values) {
      this.values = values;
    }

    public FakeBucket bucket(int number) {
      return buckets.get(number);
    }

    public FakeRows rows(int number) {
      return rows.get(number);
    }
  }

  private final List<String> keys;
  private final int bucketCount;
  private final int tablets;
  private final Supplier<FakeRows> newRows;
  private final Map<Long, Partition> partitions = new TreeMap<>();
  private volatile Consumer<List<String>> check = values -> {};
  private long nextId = 10;
  private int asked;

  FakePartitions(List<String> keys, int bucketCount, int tablets, Supplier<FakeRows> newRows) {
    this.keys = keys;
    this.bucketCount = bucketCount;
    this.tablets = tablets;
    this.newRows = newRows;
  }

  boolean keyed() {
    return !keys.isEmpty();
  }

  int bucketCount() {
    return bucketCount;
  }

  /** What throws for values that no partition may have. */
  public void setCheck(Consumer<List<String>> newCheck) {
    check = newCheck;
  }

  /** How often somebody wanted a partition to be made. */
  public synchronized int asked() {
    return asked;
  }

  /** Makes a partition unless there is one of these values. */
  public synchronized PartitionInfo create(List<String> values) {
    asked++;
    for (Map.Entry<Long, Partition> each : partitions.entrySet()) {
      if (each.getValue().values.equals(values)) {
        return info(each.getKey(), values);
      }
    }
    check.accept(values);
    Partition made = new Partition(List.copyOf(values));
    for (int i = 0; i < bucketCount; i++) {
      made.buckets.add(new FakeBucket(1 + i % tablets));
      made.rows.add(newRows.get());
    }
    partitions.put(nextId, made);
    return info(nextId++, values);
  }

  private static PartitionInfo info(long id, List<String> values) {
    return PartitionInfo.newBuilder().setPartitionId(id).addAllValues(values).build();
  }

  /** The partition of these values, null when there is none. */
  public synchronized @Nullable Partition of(String... values) {
    return partitions.values().stream()
        .filter(each -> each.values.equals(List.of(values)))
        .findFirst()
        .orElse(null);
  }

  /** The values of all partitions, in the order in which they were made. */
  public synchronized List<List<String>> all() {
    return partitions.values().stream().map(each -> each.values).toList();
  }

  /** Drops the partition of these values. */
  public synchronized void drop(String... values) {
    partitions.values().removeIf(each -> each.values.equals(List.of(values)));
  }

  /** PARTITION_NOT_FOUND when there is none of that id. */
  synchronized Partition require(long id) {
    Partition found = partitions.get(id);
    if (found == null) {
      throw new SluiceException(ErrorCode.PARTITION_NOT_FOUND, "Partition " + id + " was dropped");
    }
    return found;
  }

  /** Every bucket: partition id, number, bucket. */
  interface Visitor {
    void bucket(long partitionId, int number, FakeBucket bucket);
  }

  synchronized void forEach(Visitor visitor) {
    partitions.forEach(
        (id, partition) -> {
          for (int i = 0; i < bucketCount; i++) {
            visitor.bucket(id, i, partition.bucket(i));
          }
        });
  }

  synchronized void describe(TableInfo.Builder table, IntFunction<@Nullable Endpoint> endpoints) {
    table.addAllPartitionKeys(keys);
    partitions.forEach((id, partition) -> table.addPartitions(info(id, partition.values)));
    forEach(
        (id, number, bucket) -> {
          BucketInfo.Builder info = BucketInfo.newBuilder().setPartitionId(id).setBucket(number);
          Endpoint leader = endpoints.apply(bucket.leader());
          if (leader != null) {
            info.setLeaderServerId(bucket.leader()).setLeader(leader);
          }
          table.addBuckets(info);
        });
  }
}
