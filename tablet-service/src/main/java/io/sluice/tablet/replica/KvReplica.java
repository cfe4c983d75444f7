package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.KvContext;
import io.sluice.tablet.kv.KvLog;
import io.sluice.tablet.kv.KvRules;
import io.sluice.tablet.kv.KvSchemas;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.KvTablet;
import io.sluice.tablet.kv.RowsView;
import io.sluice.tablet.kv.snapshot.SnapshotCopy;
import io.sluice.tablet.log.BucketLog;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a primary-key bucket beside its log, in the directory {@code kv} of the log. The log
 * is the changelog: a put is evaluated against the rows, its changes are appended, and what is
 * committed is applied to the store. {@code applied ≤ committed}, {@code applied ≤ known end ≤ log
 * end}.
 *
 * <p>Every replica is a hot standby. One that follows loads what it stores as it comes, and applies
 * what is committed, by {@link #stored} and {@link #standBy}; when it begins to lead everything to
 * the log end is known already, as a rule, and {@link #catchUp} has nothing to do. What waits is
 * what the log has, whoever evaluated it: it stays when the role changes, and {@link #truncate}
 * cuts it with the log. Rows that cannot be built from the log come from the leader.
 *
 * <p>Owned by the shard's thread; {@link #rows}, {@link #rules}, {@link #rowCount}, {@link
 * #applied}, {@link #flushed}, {@link #ready} and {@link #copy} are for everybody, {@link #close}
 * for whoever stops the server, after the shard.
 */
final class KvReplica {
  /** The directory of the store beside the log. */
  static final String DIRECTORY = "kv";

  private static final int NOT_LEADING = -1;

  private final KvHost host;
  private final BucketLog log;
  private final Supplier<HostedTable> table;
  private final GrantedIds ids;
  private final KvRows rows;
  private final KvStandby standby;
  private final KvPuts puts;
  private volatile int leaderEpoch = NOT_LEADING;
  private volatile @Nullable TableRules knownRules;

  /** The rules of a table as it was described then. */
  private record TableRules(HostedTable table, KvRules rules) {}

  /** How far loading the changelog is. */
  enum Progress {
    /** The store is being opened or fetched, which says when it is there. */
    OPENING,
    /** All that is to be known is. */
    DONE,
    /** There is more to load. */
    MORE,
    /** There is more, but the store has to catch up first, or a schema has not arrived. */
    STALLED
  }

  /**
   * @param changelog the log, as the store sees it
   * @param waiting who waits for ids
   */
  KvReplica(
      KvHost host,
      BucketLog log,
      Supplier<HostedTable> table,
      KvLog changelog,
      GrantedIds.Listener waiting) {
    this.host = host;
    this.log = log;
    this.table = table;
    this.ids = new GrantedIds(log.bucket(), host, waiting);
    this.rows = new KvRows(host, log, table, () -> open(changelog));
    this.standby = new KvStandby(host, log, rows);
    this.puts = new KvPuts(host, log, table, this::rules, ids, rows::required);
  }

  private KvTablet open(KvLog changelog) {
    return KvTablet.open(
        host.resources(),
        log.bucket(),
        log.directory().resolve(DIRECTORY),
        new KvContext(schemas(), ids, host.time(), host.allocator()),
        changelog,
        log.startOffset(),
        log.endOffset());
  }

  private KvSchemas schemas() {
    return new KvSchemas() {
      @Override
      public TableSchema current() {
        return table.get().schema();
      }

      @Override
      public TableSchema schema(int schemaId) {
        return table.get().schema(schemaId);
      }

      @Override
      public KvRules rules() {
        return KvReplica.this.rules();
      }
    };
  }

  // Leading

  /**
   * Before this server leads: has the store opened when it is not open and loads a bounded part of
   * the changelog that is not known yet; done when everything below the log end is, so that puts
   * may come.
   *
   * @param opened run on any thread when the store is open or cannot be
   * @throws SluiceException CORRUPT_STORAGE when the store or the changelog is damaged
   */
  Progress catchUp(long committed, Runnable opened) {
    standby.stop();
    KvTablet open = rows.opened(opened);
    if (open == null) {
      return Progress.OPENING;
    }
    open.advance(committed);
    boolean all;
    try {
      // However much waits: puts need all of it.
      all = rows.load(open, Long.MAX_VALUE);
    } catch (SluiceException e) {
      return rows.stalledWithoutSchema(e);
    }
    if (all) {
      return Progress.DONE;
    }
    open.advance(committed);
    return rows.isBehind(committed) ? Progress.STALLED : Progress.MORE;
  }

  /** The bucket is led from here: ids are asked for if its table gives them. */
  void lead(int epoch) {
    leaderEpoch = epoch;
    host.leads(log.bucket(), this);
    KvRules rules = rules();
    if (rules.merge().autoIncrementColumn() >= 0) {
      ids.lead(epoch, rules.merge().maxIdRange());
    }
  }

  /** The bucket is not led from here any more. */
  void leadNoMore() {
    leaderEpoch = NOT_LEADING;
    host.leadsNoMore(log.bucket(), this);
    ids.stop();
  }

  /** Whether as many new rows can have ids; when not, ids have been asked for. */
  boolean hasIdsFor(int newRows) {
    MergeRules merge = rules().merge();
    if (merge.autoIncrementColumn() < 0) {
      return true;
    }
    ids.limit(merge.maxIdRange());
    return ids.require(newRows);
  }

  /** See {@link KvPuts#put}. */
  long put(AppendRequest request, int firstRow, int epoch) {
    return puts.put(request, firstRow, epoch);
  }

  /** See {@link KvPuts#insertMissing}. */
  long insertMissing(List<byte[]> keys, int epoch) {
    return puts.insertMissing(keys, epoch);
  }

  /** See {@link KvPuts#removeExpired}. */
  void removeExpired(List<byte[]> keys, int epoch) {
    puts.removeExpired(keys, epoch);
  }

  /**
   * A copy of the rows for a follower of that epoch; on any thread.
   *
   * @throws SluiceException NOT_LEADER in another epoch, LEADER_NOT_READY or UNAVAILABLE while the
   *     store is not open
   */
  SnapshotCopy copy(int epoch) {
    if (epoch != leaderEpoch) {
      throw new SluiceException(
          ErrorCode.NOT_LEADER, "This server does not lead " + log.bucket() + " in epoch " + epoch);
    }
    return rows.opening().copy(store());
  }

  // Following

  /**
   * Another server leads, or nobody.
   *
   * @param leaderServerId 0 for nobody
   */
  void follow(int leaderServerId, int epoch) {
    leadNoMore();
    standby.follow(leaderServerId, epoch);
  }

  /**
   * Takes in batches that were just stored at the log end, from memory, if all before them is known
   * here and there is room; {@link #standBy} reads the others from the log.
   *
   * @param batches whole, back to back; position is kept
   */
  void stored(ByteBuffer batches) {
    standby.stored(batches);
  }

  /**
   * One turn of a replica that follows: has the store opened or fetched when there is none, loads a
   * bounded part of what is not known yet, and applies what is committed.
   *
   * @param committed as far as this replica knows and has the log
   * @param told whether that is what the leader it follows now has said
   * @param again run on any thread when there is something to go on with
   * @throws SluiceException as {@link #catchUp}, but for rows that the leader can give
   */
  Progress standBy(long committed, boolean told, Runnable again) {
    return standby.standBy(committed, told, again);
  }

  /**
   * Whether this replica could lead at once: the store is open, few MiB are loaded and not applied,
   * and few MiB of the log are not loaded, or none of what the leader says is committed. On any
   * thread.
   */
  boolean ready() {
    return standby.ready();
  }

  /**
   * Whether the log may be cut now. While the store is being opened it may not: nobody knows yet
   * whether it is beyond the cut.
   *
   * @param again run on any thread when it may be asked again
   */
  boolean mayCut(Runnable again) {
    return standby.mayCut(again);
  }

  /**
   * Forgets the changes at and above an offset, before the log is cut there. A store that is beyond
   * it is removed, with all snapshots that are: it holds records that were committed under a leader
   * that an unclean election has left behind.
   */
  void truncate(long offset) {
    standby.truncate(offset);
  }

  /** Removes store and snapshots, before the log begins anew or is set aside. */
  void wipe() {
    standby.wipe();
  }

  // Both

  /** Closes the store, whose files are damaged; the next turn opens a restored one. */
  void dropDamaged(SluiceException damage) {
    standby.dropDamaged(damage);
  }

  /** The rules of the table as it is described now; on any thread. */
  KvRules rules() {
    HostedTable now = table.get();
    TableRules known = knownRules;
    if (known == null || known.table() != now) {
      known = new TableRules(now, KvRules.of(now.schema(), now.options()));
      knownRules = known;
    }
    return known.rules();
  }

  /** Moves what is committed to the store, as far as it takes it now. */
  void apply(long committed) {
    KvTablet open = rows.tablet();
    if (open != null) {
      open.advance(committed);
    }
  }

  /** Whether changes that are committed and loaded wait for the store. */
  boolean isBehind(long committed) {
    return rows.isBehind(committed);
  }

  /** End of the records that lookups see. */
  long applied() {
    return rows.applied();
  }

  /**
   * End of the records that the store and every snapshot of it have on disk; the log start while it
   * is not open. A restart, or a restored snapshot, needs the changelog from there on. On any
   * thread.
   */
  long flushed() {
    return rows.flushed();
  }

  /** All that is stored; LEADER_NOT_READY before it is loaded. On any thread. */
  KvStore store() {
    return rows.required().store();
  }

  /** The rows as lookups see them now; LEADER_NOT_READY before they are loaded. */
  RowsView rows() {
    return RowsView.of(store(), rules().merge().rowTtl(), host.time().epochMs());
  }

  /** Number of rows that are applied, -1 when it is not known. On any thread. */
  long rowCount() {
    KvTablet open = rows.tablet();
    return open == null ? ReplicaOffsets.UNKNOWN_ROWS : open.store().count();
  }

  private @Nullable KvTablet ended() {
    host.leadsNoMore(log.bucket(), this);
    standby.stop();
    return rows.opening().end();
  }

  /** Flushes and closes the store. */
  void close() {
    KvTablet open = ended();
    if (open != null) {
      open.close();
    }
  }

  /** Closes the store of a bucket that is being removed. */
  void discard() {
    KvTablet open = ended();
    if (open != null) {
      open.discard();
    }
  }
}
