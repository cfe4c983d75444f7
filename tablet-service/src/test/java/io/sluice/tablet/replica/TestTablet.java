package io.sluice.tablet.replica;

import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.log.DiskLimits;
import io.sluice.tablet.log.LogConfig;
import io.sluice.tablet.log.StoragePlatform;
import io.sluice.tablet.log.TestBatches;
import io.sluice.tablet.log.TestBatches.TestBatch;
import io.sluice.testkit.Await;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.MovedClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/** The replicas of server 1 with a clock that stands still; housekeeping runs when a test says. */
final class TestTablet implements AutoCloseable {
  static final String CLUSTER = "0f8fad5b-d9cb-469f-a165-70867728950e";
  static final int SERVER = 1;

  final MovedClock clock = new MovedClock(1_700_000_000_000L);
  final FaultyFiles faulty = new FaultyFiles().withoutForcing();
  volatile double diskUsed;

  /** Thrown once, when the disk is looked at next. */
  final AtomicReference<@Nullable Error> diskFailure = new AtomicReference<>();

  final BufferAllocator allocator = new RootAllocator();
  final FakeIdGrants ids = new FakeIdGrants();
  final KvHost kv;
  final ReplicaSet set;

  private TestTablet(Path directory, LogConfig log, KvSettings stores, BatchSlicer slicer) {
    TabletStorageConfig config =
        new TabletStorageConfig(
            SERVER,
            directory,
            log,
            DiskLimits.DEFAULT,
            2,
            1 << 20,
            2,
            16,
            3_600_000,
            10_000,
            10_000);
    StoragePlatform platform = new StoragePlatform(clock, faulty::open, path -> diskUsed());
    kv = KvHost.open(stores, allocator, clock, ids);
    set = ReplicaSet.open(config, platform, slicer, kv);
  }

  private double diskUsed() {
    Error failure = diskFailure.getAndSet(null);
    if (failure != null) {
      throw failure;
    }
    return diskUsed;
  }

  static TestTablet open(Path directory) {
    return open(directory, smallStores());
  }

  static TestTablet open(Path directory, KvSettings stores) {
    return new TestTablet(directory, log(86_400_000), stores, TestTablet::dropFirst);
  }

  /** One that takes overlapping puts apart in its own way. */
  static TestTablet open(Path directory, BatchSlicer slicer) {
    return new TestTablet(directory, log(86_400_000), smallStores(), slicer);
  }

  /** One that forgets writers after another time. */
  static TestTablet open(Path directory, long writerExpiryMs) {
    return new TestTablet(directory, log(writerExpiryMs), smallStores(), TestTablet::dropFirst);
  }

  static LogConfig log(long writerExpiryMs) {
    return new LogConfig(64 << 10, 3_600_000, 512, 1 << 10, writerExpiryMs);
  }

  /** Makes the rest of a batch anew. */
  static BatchSlicer.Slice dropFirst(HostedTable table, AppendRequest put, int rows) {
    LogBatchHeader header = put.header();
    TestBatch rest =
        TestBatches.of(
            header.recordCount() - rows,
            header.writerId(),
            header.writerEpoch(),
            header.baseSequence() + rows,
            10);
    return new BatchSlicer.Slice() {
      @Override
      public LogBatchHeader header() {
        return rest.header();
      }

      @Override
      public List<ByteBuffer> sections() {
        return rest.sections();
      }

      @Override
      public void close() {}
    };
  }

  static HostedTable table(long id, String name) {
    TableSchema schema =
        new TableSchema(
            1, List.of(Column.of(1, "a", new DataType.IntegerType(64), true)), List.of());
    return new HostedTable(
        id, TablePath.parse("demo." + name), List.of(schema), 4, List.of(), Map.of());
  }

  static ReplicaRole role(TableBucket bucket, int leader, int epoch) {
    return new ReplicaRole(bucket, leader, epoch, List.of(SERVER), List.of(SERVER), epoch);
  }

  /** An image in which this server leads the buckets 0 of the tables under an epoch. */
  static ReplicaUpdate.Image image(long index, int epoch, long... tables) {
    List<HostedTable> hosted = new ArrayList<>();
    List<ReplicaRole> roles = new ArrayList<>();
    for (long table : tables) {
      hosted.add(table(table, "t" + table));
      roles.add(role(TableBucket.of(table, 0), SERVER, epoch));
    }
    return new ReplicaUpdate.Image(CLUSTER, index, hosted, roles, List.of());
  }

  static ReplicaUpdate.Delta roles(long index, ReplicaRole... roles) {
    return new ReplicaUpdate.Delta(index, List.of(), Set.of(), List.of(roles), Set.of(), List.of());
  }

  static ReplicaUpdate.Delta dropped(long index, long table) {
    return new ReplicaUpdate.Delta(index, List.of(), Set.of(table), List.of(), Set.of(), List.of());
  }

  static ReplicaUpdate.Delta writers(long index, WriterEpoch... writers) {
    return new ReplicaUpdate.Delta(
        index, List.of(), Set.of(), List.of(), Set.of(), List.of(writers));
  }

  /** Applies and waits until this server leads every bucket the update gives it. */
  TestTablet apply(ReplicaUpdate update) {
    set.apply(update);
    for (ReplicaRole role : update.replicas()) {
      boolean offline = set.offline().stream().anyMatch(o -> o.bucket().equals(role.bucket()));
      if (role.leaderServerId() == SERVER && !offline) {
        awaitLeader(role.bucket(), role.leaderEpoch());
      }
    }
    return this;
  }

  void awaitLeader(TableBucket bucket, int epoch) {
    Await.until(
        "leads " + bucket + " under epoch " + epoch,
        Duration.ofSeconds(10),
        () -> set.require(bucket).requireLeader() == epoch);
  }

  Replica replica(long table) {
    return set.require(TableBucket.of(table, 0));
  }

  Answer put(long table, TestBatch batch, long ackedThrough) {
    return put(replica(table), batch, ackedThrough);
  }

  static Answer put(Replica replica, TestBatch batch, long ackedThrough) {
    Answer answer = new Answer();
    replica.append(new AppendRequest(batch.header(), batch.sections(), ackedThrough, true), answer);
    return answer;
  }

  Answer put(long table, TestBatch batch) {
    return put(table, batch, batch.header().baseSequence() - 1);
  }

  /** First sequence and rows of every visible batch of a writer. */
  static List<long[]> sequences(Replica replica, long writer) {
    List<long[]> found = new ArrayList<>();
    long end = replica.offsets().visible();
    try (BatchCursor cursor = replica.openCursor(replica.offsets().logStart())) {
      while (cursor.next(end)) {
        if (cursor.header().writerId() == writer) {
          found.add(new long[] {cursor.header().baseSequence(), cursor.header().recordCount()});
        }
      }
    }
    return found;
  }

  static KvSettings smallStores() {
    return new KvSettings(16 << 20, 8 << 20, 4 << 20, 32, 1, 60_000, 32 << 20);
  }

  @Override
  public void close() {
    set.close();
    kv.close();
    allocator.close();
  }
}
