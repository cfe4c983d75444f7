package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.RowsView;
import io.sluice.tablet.log.BucketLog;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica whose log is on this server's disk, with the rows beside it when the table has a
 * primary key: then the log is the changelog of the rows. Its shard's thread is the only one that
 * writes, as {@link Leading} or {@link Following}; roles come from the thread that follows the
 * coordinator; everything others read is volatile.
 */
final class LocalReplica implements Replica {
  private static final Logger logger = LoggerFactory.getLogger(LocalReplica.class);

  private final ReplicaContext context;
  private final BucketLog log;
  private final AppendShard shard;
  private final @Nullable KvReplica kv;
  private final @Nullable RowsProgress rows;
  private final @Nullable ExpirySweep expiry;
  private final Retention retention;
  private final Refusals refusals;
  private final ReplicaStatus status;
  private final CommitPoint commits;
  private final Leading leading;
  private final Following following;
  private final ReplicaNews news;
  // Of the shard's thread.
  private final OwnPromise promise;
  private final PutQueue puts;

  private volatile HostedTable table;

  /**
   * @param committed what was committed as far as this server knew when it stopped
   */
  LocalReplica(
      ReplicaContext context, BucketLog log, AppendShard shard, HostedTable table, long committed) {
    this.context = context;
    this.log = log;
    this.shard = shard;
    this.table = table;
    this.news = new ReplicaNews(shard, this::displayName);
    this.promise = new OwnPromise(this, context);
    this.kv =
        table.schema().primaryKey().isEmpty()
            ? null
            : new KvReplica(
                context.kv(),
                log,
                this::table,
                new ReplicaChangelog(this),
                new WaitingForIds(this));
    this.rows = kv == null ? null : new RowsProgress(this, context, kv);
    this.expiry = kv == null ? null : new ExpirySweep(this, kv, context.kv());
    long known = Math.max(log.startOffset(), Math.min(committed, log.endOffset()));
    this.commits = new CommitPoint(this, rows, known, kv == null ? known : log.startOffset());
    this.refusals =
        new Refusals(context.serverId(), this::displayName, context.replication().addresses());
    this.status = new ReplicaStatus(refusals);
    this.leading = new Leading(this, context, log, commits);
    this.following = new Following(this, context, log, commits, kv, rows);
    this.retention = new Retention(this, log, kv, following);
    retention.table(table);
    this.puts = new PutQueue(this, context, log, kv, refusals, leading);
  }

  @Override
  public TableBucket bucket() {
    return log.bucket();
  }

  @Override
  public HostedTable table() {
    return table;
  }

  /** Takes over a newer description of the table. */
  void table(HostedTable newer) {
    table = newer;
    retention.table(newer);
  }

  /** Does something on the thread that owns the log. */
  void onShard(Runnable work) {
    ControlTask.queue(shard, work);
  }

  /** Does something on the thread that owns the log, or says that it was not done. */
  void submit(ShardCall call) {
    shard.submit(call);
  }

  Retention retention() {
    return retention;
  }

  BucketLog log() {
    return log;
  }

  Leading leading() {
    return leading;
  }

  ReplicaNews news() {
    return news;
  }

  /** How messages name this bucket. */
  String displayName() {
    return table.path() + "-" + bucket().bucket();
  }

  /** What the coordinator decided last, null before it did. */
  @Nullable ReplicaRole role() {
    return status.leadership().role();
  }

  /** What it may do now. */
  Leadership.State state() {
    return status.leadership().state();
  }

  /** Follows the coordinator's decision; one with an older epoch or ISR version changes nothing. */
  void assign(ReplicaRole role) {
    Leadership before = status.leadership();
    ReplicaRole known = before.role();
    if (before.state() == Leadership.State.GONE || (known != null && role.isOlderThan(known))) {
      return;
    }
    boolean leads = role.leaderServerId() == context.serverId();
    boolean sameTerm = known != null && role.leaderEpoch() == known.leaderEpoch();
    if (sameTerm && leads && before.state() != Leadership.State.FOLLOWER) {
      // The shard may turn PREPARING into LEADING at the same time.
      status.keepsStateIn(role);
      onShard(this::settle);
      return;
    }
    status.becomes(
        new Leadership(leads ? Leadership.State.PREPARING : Leadership.State.FOLLOWER, role));
    onShard(this::settle);
    news.tellReaders();
  }

  /** Makes of this replica what its newest role says. */
  private void settle() {
    Leadership now = status.leadership();
    ReplicaRole role = now.role();
    if (role == null || now.state() == Leadership.State.GONE || status.offlineReason() != null) {
      return;
    }
    if (now.state() == Leadership.State.FOLLOWER) {
      leading.end();
      if (kv != null) {
        kv.leadNoMore();
      }
      puts.refuseAll(refusals.notLeader(now));
      following.follow(role);
    } else if (leading.epoch() == now.epoch()) {
      leading.decided(role);
    } else {
      begin(role);
    }
  }

  private void begin(ReplicaRole role) {
    following.end();
    try {
      leading.begin(role);
      news.forFollowers();
    } catch (SluiceException e) {
      if (!leading.waitsForSpace(role, e)) {
        takeOffline("Cannot begin epoch " + role.leaderEpoch() + ": " + e.getMessage());
      }
    }
  }

  /** At regular times: looks at the followers, or begins to lead when there was no space before. */
  void tick() {
    Leadership now = status.leadership();
    if (now.state() == Leadership.State.PREPARING && leading.epoch() != now.epoch()) {
      settle();
    } else {
      leading.tick();
    }
  }

  /** Something has moved in the epoch that this server leads in: goes on with what waits for it. */
  void progressed() {
    leading.advance();
    if (state() == Leadership.State.PREPARING) {
      prepare();
    }
  }

  /** Goes on with the rows, whatever became of the role meanwhile. */
  void goOn() {
    if (status.gone() || status.offlineReason() != null) {
      return;
    }
    if (leading.isActive()) {
      progressed();
    } else {
      following.standBy();
    }
  }

  /** Begins to serve when all of earlier epochs is committed and in the rows. */
  private void prepare() {
    Leadership now = status.leadership();
    if (now.state() != Leadership.State.PREPARING
        || now.epoch() != leading.epoch()
        || status.offlineReason() != null
        || (rows != null && !rows.load(commits.committed()))) {
      return;
    }
    leading.advance();
    long committed = commits.committed();
    if (committed < leading.epochStart()
        || commits.visible() < committed
        || (rows != null && (rows.isBehind(committed) || (mayHavePromised() && promise.holds())))
        || !status.leads(now)) {
      return;
    }
    if (kv != null) {
      kv.lead(now.epoch());
    }
    logger.debug(
        "Leads {} ({}) from offset {} under epoch {}",
        displayName(),
        bucket(),
        leading.epochStart(),
        now.epoch());
    news.forReaders();
  }

  /** Whether another server counts on what this one promised, or did before it lost the bucket. */
  private boolean mayHavePromised() {
    return leading.hasOthers() || following.hasFollowed();
  }

  /**
   * The files of the rows are damaged: what is committed is built anew from a snapshot and the log,
   * while puts and lookups are asked to try again. Records stay as visible as they were.
   */
  void restoreRows(SluiceException damage) {
    if (kv == null || status.gone() || status.offlineReason() != null) {
      return;
    }
    logger.warn("Restores the rows of {}: {}", displayName(), damage.getMessage());
    status.leadsNoMore();
    kv.dropDamaged(damage);
    goOn();
  }

  /** Ends every use: the directory is about to be removed. Waits until nothing is being written. */
  void retire() {
    status.retires();
    ControlTask.call(
        shard,
        () -> {
          endService(refusals.notLeader(status.leadership()));
          if (kv != null) {
            kv.discard();
          }
          return true;
        });
    news.tellReaders();
  }

  private void endService(SluiceException why) {
    leading.end();
    following.end();
    if (kv != null) {
      kv.leadNoMore();
    }
    puts.refuseAll(why);
  }

  /** Closes the store of the rows; after the shard has stopped. */
  void closeRows() {
    puts.refuseParked(new SluiceException(ErrorCode.UNAVAILABLE, "This tablet server is stopping"));
    if (kv != null) {
      kv.close();
    }
  }

  boolean gone() {
    return status.gone();
  }

  @Override
  public int requireLeader() {
    return status.requireLeader();
  }

  @Override
  public void requireLease() {
    status.requireLeader();
    if (!leading.hasLease()) {
      throw refusals.noLease();
    }
  }

  /** Throws what forbids every use now: offline, or removed. */
  Leadership requireServing() {
    return status.requireServing();
  }

  /** Why followers get nothing here: this server does not lead, or not yet. */
  SluiceException notLeading() {
    Leadership now = requireServing();
    return now.state() == Leadership.State.FOLLOWER
        ? refusals.notLeader(now)
        : refusals.preparing(now);
  }

  @Override
  public void append(AppendRequest request, AppendCallback callback) {
    try {
      int epoch = requireLeader();
      shard.submit(new BatchPut(this, shard, request, callback, epoch));
    } catch (SluiceException refused) {
      Put.refuse(callback, refused, this);
    }
  }

  @Override
  public void insertMissing(List<byte[]> encodedKeys, AppendCallback callback) {
    try {
      if (kv == null) {
        throw refusals.noRows(table);
      }
      int epoch = requireLeader();
      shard.submit(new MissingRows(this, shard, encodedKeys, callback, epoch));
    } catch (SluiceException refused) {
      Put.refuse(callback, refused, this);
    }
  }

  /** Takes a put in; on the shard's thread. */
  void take(Put put) {
    puts.take(put);
  }

  /** The puts that wait here; of the shard's thread. */
  PutQueue puts() {
    return puts;
  }

  boolean leads() {
    return status.leadership().state() == Leadership.State.LEADING && offlineReason() == null;
  }

  /** One turn of the removal of expired rows; on the housekeeper's thread. */
  int sweepExpired(long nowMs) {
    return expiry == null || gone() ? 0 : expiry.doWork(nowMs);
  }

  /**
   * Deletes those of the rows that have expired by then.
   *
   * @param done called on the shard's thread with whether they are gone
   */
  void removeExpired(List<byte[]> keys, Consumer<Boolean> done) {
    onShard(() -> puts.removeExpired(keys, done));
  }

  void afterFailure(SluiceException refused) {
    if (log.broken()) {
      takeOffline(String.valueOf(refused.getMessage()));
    } else if (refused.code() == ErrorCode.DISK_FULL && refused.getCause() instanceof IOException) {
      context.disk().foundNoSpace();
    }
  }

  /** Advances committed as far as the in-sync replicas have the log, and answers who waited. */
  void advance() {
    leading.advance();
  }

  @Override
  public long writerSequence(long writerId, int writerEpoch) {
    return WriterQuery.ask(this, shard, refusals, requireLeader(), writerId, writerEpoch);
  }

  @Override
  public ReplicaOffsets offsets() {
    // Each is read before the one that bounds it from above.
    long start = log.startOffset();
    long forced = log.forcedOffset();
    long shown = commits.visible();
    long reached = commits.committed();
    long end = log.endOffset();
    long count = kv == null ? ReplicaOffsets.UNKNOWN_ROWS : kv.rowCount();
    return new ReplicaOffsets(start, start, reached, shown, Math.min(shown, forced), end, count);
  }

  long visible() {
    return commits.visible();
  }

  long committed() {
    return commits.committed();
  }

  @Override
  public RowsView requireRows() {
    if (kv == null) {
      throw refusals.noRows(table);
    }
    requireLeader();
    return kv.rows();
  }

  @Override
  public long sizeBytes() {
    return log.sizeBytes();
  }

  @Override
  public long offsetForTime(long epochMs) {
    requireServing();
    try {
      return Math.min(log.offsetForTime(epochMs), visible());
    } catch (SluiceException e) {
      throw afterRead(e);
    }
  }

  @Override
  public BatchCursor openCursor(long startOffset) {
    requireServing();
    long end = visible();
    if (startOffset < log.startOffset() || startOffset > end) {
      throw outOfRange(startOffset);
    }
    try {
      return new ReplicaCursor(this, log.openCursor(startOffset));
    } catch (SluiceException e) {
      throw afterRead(e);
    }
  }

  SluiceException outOfRange(long offset) {
    return refusals.outOfRange(offset, log.startOffset(), visible());
  }

  /**
   * Takes the replica offline when a read found damage; returns the failure to throw. Where others
   * are in sync one of them will lead, and the same read succeeds there: it may be repeated.
   */
  SluiceException afterRead(SluiceException failure) {
    if (failure.code() != ErrorCode.CORRUPT_STORAGE) {
      return failure;
    }
    String damage = String.valueOf(failure.getMessage());
    takeOffline(damage);
    ReplicaRole role = role();
    return role != null && role.hasOthersInSync(context.serverId())
        ? refusals.offline(damage)
        : failure;
  }

  /** Ends all service, once, until the process starts again. */
  void takeOffline(String reason) {
    if (!status.goesOffline(reason)) {
      return;
    }
    logger.error("Replica of {} ({}) goes offline: {}", displayName(), bucket(), reason);
    onShard(() -> endService(refusals.offline(reason)));
    news.tellReaders();
  }

  /** Why this replica serves nothing, null when it serves. */
  @Nullable String offlineReason() {
    return status.offlineReason();
  }

  @Override
  public void addListener(Runnable listener) {
    news.readers().add(listener);
  }

  @Override
  public void removeListener(Runnable listener) {
    news.readers().remove(listener);
  }
}
