package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.row.KeyEncoder;
import io.sluice.tablet.kv.KvLog;
import io.sluice.tablet.kv.KvScan;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.log.BucketLog;
import io.sluice.tablet.log.DataDirectory;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.log.LogBeginning;
import io.sluice.tablet.log.LogConfig;
import io.sluice.tablet.log.LogContext;
import io.sluice.tablet.log.LogCursor;
import io.sluice.tablet.log.OpenFiles;
import io.sluice.tablet.log.StoragePlatform;
import io.sluice.tablet.replica.KvReplica.Progress;
import io.sluice.tablet.replication.FetchDecision;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.Truncation;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.MovedClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * Log and rows of one primary-key bucket on one server, driven by the test's thread, which takes
 * the place of the shard's and fetches from the leader by hand.
 */
final class StandbyNode implements AutoCloseable {
  static final TableBucket BUCKET = TableBucket.of(7, 0);
  private static final long SOON_SECONDS = 20;
  private static final int MIB = 1 << 20;

  final int id;
  final MovedClock clock;
  final HostedTable table;
  final KvHost host;
  final BufferAllocator allocator = new RootAllocator();
  BucketLog log;

  /** Where log and rows are. */
  Path directory;

  KvReplica kv;
  int epoch;
  long committed;

  /** Bytes of batches in one fetch. */
  int fetchBytes = 64 << 10;

  private final Path home;
  private final LinkedBlockingQueue<Runnable> shard = new LinkedBlockingQueue<>();
  private DataDirectory data;
  private OpenFiles files;
  private boolean told;

  StandbyNode(int id, Path home, HostedTable table, MovedClock clock, FakeIdGrants ids) {
    this(id, home, table, clock, ids, 256 * MIB);
  }

  StandbyNode(
      int id,
      Path home,
      HostedTable table,
      MovedClock clock,
      FakeIdGrants ids,
      long maxReplayBytes) {
    this.id = id;
    this.home = home;
    this.table = table;
    this.clock = clock;
    this.host =
        KvHost.open(
            new KvSettings(
                16 * MIB, MIB, 8 * MIB, MIB, 32, 1, 60_000, 16 * MIB, maxReplayBytes, 600_000, 1),
            allocator,
            clock,
            ids);
    open();
  }

  private void open() {
    FaultyFiles faulty = new FaultyFiles().withoutForcing();
    files = new OpenFiles(faulty::open, 16);
    StoragePlatform platform = new StoragePlatform(clock, faulty::open, path -> 0);
    LogContext context =
        new LogContext(
            platform,
            files,
            new LogConfig(64 << 10, 3_600_000, 512, 1 << 10, 86_400_000),
            TestTablet.CLUSTER,
            writer -> false);
    data = DataDirectory.open(platform, home, 1);
    log =
        data.scan().contains(BUCKET)
            ? data.openLog(context, BUCKET)
            : data.createLog(context, BUCKET, "demo.keyed");
    directory = log.directory();
    committed = Math.min(committed, log.endOffset());
    kv = new KvReplica(host, log, () -> table, new Changelog(), new Waiting());
  }

  private final class Changelog implements KvLog {
    @Override
    public void force() {
      log.force();
    }

    @Override
    public void damaged(io.sluice.common.SluiceException damage) {
      shard.add(() -> kv.dropDamaged(damage));
    }
  }

  private final class Waiting implements GrantedIds.Listener {
    @Override
    public void onShard(Runnable work) {
      shard.add(work);
    }

    @Override
    public void goOn() {
      // Nobody waits here.
    }
  }

  /** Runs what has been queued for the shard. */
  void runQueued() {
    for (Runnable next = shard.poll(); next != null; next = shard.poll()) {
      next.run();
    }
  }

  private void await(String what) {
    try {
      Runnable next = shard.poll(SOON_SECONDS, TimeUnit.SECONDS);
      assertThat(next).as(what).isNotNull();
      next.run();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Leads, when its rows are ready for that. */
  void lead(int newEpoch) {
    epoch = newEpoch;
    log.startEpoch(newEpoch);
    while (true) {
      Progress progress = kv.catchUp(committed, () -> shard.add(() -> {}));
      if (progress == Progress.DONE) {
        break;
      }
      if (progress == Progress.OPENING) {
        await("opened to lead");
      }
    }
    kv.lead(newEpoch);
    runQueued();
  }

  void follow(StandbyNode leader) {
    told = false;
    epoch = leader.epoch;
    kv.follow(leader.id, leader.epoch);
  }

  /** Turns until all that is known is applied; false while the rows have to come from elsewhere. */
  boolean standBy() {
    while (true) {
      runQueued();
      Progress progress = kv.standBy(committed, told, () -> shard.add(() -> {}));
      if (progress == Progress.DONE) {
        return true;
      }
      if (progress == Progress.OPENING) {
        return false;
      }
    }
  }

  /** The same, until the rows are there. */
  void awaitReady() {
    while (!standBy()) {
      await("rows are opened or have come");
    }
  }

  /** One fetch: cuts, or stores some batches; what it learns is committed it applies. */
  void fetch(StandbyNode leader) {
    FetchPosition position = position();
    FetchDecision decision =
        FetchDecision.of(
            leader.epoch,
            leader.log.epochs(),
            leader.log.startOffset(),
            leader.log.endOffset(),
            position);
    if (decision instanceof FetchDecision.Diverges diverges) {
      cut(diverges.end());
    } else if (decision instanceof FetchDecision.Behind) {
      startAnew(leader.log.beginning());
    } else {
      assertThat(decision).isInstanceOf(FetchDecision.Agrees.class);
      ByteBuffer batches = leader.log.read(log.endOffset(), fetchBytes, ByteBuffer::allocateDirect);
      if (batches.hasRemaining()) {
        log.appendReplicated(batches.duplicate());
        kv.stored(batches);
      }
      committed = Math.max(committed, Math.min(leader.committed, log.endOffset()));
      told = true;
    }
    standBy();
  }

  FetchPosition position() {
    long end = log.endOffset();
    return new FetchPosition(epoch, end, log.epochs().epochBefore(end));
  }

  private void cut(EpochHistory.End leaderEnd) {
    while (!kv.mayCut(() -> shard.add(() -> {}))) {
      await("opened, to be cut");
    }
    Truncation.Cut cut =
        Truncation.cutTo(log.epochs(), log.startOffset(), log.endOffset(), leaderEnd);
    if (cut instanceof Truncation.To to) {
      kv.truncate(to.logEnd());
      long end = log.cutTo(to.logEnd());
      kv.truncate(end);
      committed = Math.min(committed, end);
    } else {
      startAnew(LogBeginning.EMPTY);
    }
  }

  private void startAnew(LogBeginning beginning) {
    kv.wipe();
    log.startAnew(beginning);
    committed = beginning.offset();
  }

  /** Stops in order and starts again. */
  void restart() {
    stop(KvReplica::close);
    open();
  }

  /** Starts again as after a kill: what RocksDB has not flushed is gone. */
  void crash() {
    stop(KvReplica::discard);
    open();
  }

  /** Stops; then the directory may be changed, and {@link #start} follows. */
  void stop(Consumer<KvReplica> end) {
    runQueued();
    end.accept(kv);
    log.close();
    files.close();
    data.close();
    shard.clear();
  }

  void start() {
    open();
  }

  /** The rows in the store, in hexadecimal. */
  Map<String, String> rows() {
    return rows(kv.store());
  }

  static Map<String, String> rows(KvStore store) {
    Map<String, String> rows = new TreeMap<>();
    try (KvScan scan = store.scan()) {
      while (scan.next()) {
        rows.put(hex(scan.key()), hex(scan.value()));
      }
    }
    return rows;
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** What the changelog below an offset makes of no rows. */
  Map<String, String> fold(long offset) {
    Map<String, String> rows = new TreeMap<>();
    try (ChangelogFold fold = new ChangelogFold(table.schema(), allocator);
        LogCursor cursor = log.openCursor(log.startOffset())) {
      while (cursor.next(offset)) {
        LogBatchHeader header = cursor.header();
        if (header.baseOffset() >= offset) {
          break;
        }
        ByteBuffer bytes = ByteBuffer.allocate(header.length() - LogBatchHeader.SIZE);
        cursor.read(LogBatchHeader.SIZE, bytes);
        fold.add(header, bytes.flip(), offset, rows);
      }
    }
    return rows;
  }

  /** state-is-fold, for a log that goes back to its beginning. */
  void assertStateIsFold() {
    long applied = kv.applied();
    assertThat(applied).isLessThanOrEqualTo(committed);
    Map<String, String> expected = fold(applied);
    assertThat(rows()).as("rows of server %d at %d", id, applied).isEqualTo(expected);
    if (kv.rowCount() >= 0) {
      assertThat(kv.rowCount()).isEqualTo(expected.size());
    }
  }

  static KeyEncoder keys(HostedTable table) {
    return KeyEncoder.of(table.schema());
  }

  @Override
  public void close() {
    stop(KvReplica::close);
    host.close();
    allocator.close();
  }
}
