package io.sluice.coordinator.raft;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Transition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the current image and applies committed commands to it, one after the other on Ratis' apply
 * thread. Snapshots are written by a thread of their own from the immutable image: {@link
 * #takeSnapshot()} starts one and reports the last one that is complete, so the log is cut one
 * snapshot later and the apply thread never waits for a disk.
 *
 * <p>A command that cannot be applied is a defect or a newer format: this machine then refuses
 * every later one, because going on would make it differ from the others, and every read, because
 * its image is out of date. The listener is told, and sees to it that another one leads.
 */
final class MetadataStateMachine extends BaseStateMachine {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataStateMachine.class);
  private static final long CLOSE_WAIT_SECONDS = 30;

  private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
  private final ExecutorService snapshotWriter =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "metadata-snapshot");
            thread.setDaemon(true);
            return thread;
          });
  private final MetadataLog.Listener listener;
  private final Rules rules;
  private final LongAdder applied = new LongAdder();
  private final LongAdder applyNanos = new LongAdder();

  private volatile MetadataImage image = MetadataImage.EMPTY;
  private volatile boolean leads;
  private volatile long leaderships;

  /** Why no later command is applied, null as long as all were. Written by the apply thread. */
  private volatile @Nullable SluiceException broken;

  /** Guards the snapshot that is written against one that is installed. */
  private final Object snapshots = new Object();

  // Guarded by snapshots.
  private @Nullable CompletableFuture<Long> writing;
  private long completeSnapshot = RaftLog.INVALID_LOG_INDEX;

  /** What a command does. */
  interface Rules {
    Transition apply(ClusterState state, Command command);
  }

  MetadataStateMachine(MetadataLog.Listener listener, Rules rules) {
    this.listener = listener;
    this.rules = rules;
  }

  /** The state after the last applied command. */
  MetadataImage image() {
    return image;
  }

  /** Commands applied since the start, replayed ones included. */
  long applied() {
    return applied.sum();
  }

  /** Time spent applying them. */
  long applyNanos() {
    return applyNanos.sum();
  }

  /** Whether this coordinator leads and has applied everything before its term. */
  boolean leads() {
    return leads;
  }

  /** Whether it has met a command that it cannot apply. */
  boolean isBroken() {
    return broken != null;
  }

  /** How often it has begun to lead. */
  long leaderships() {
    return leaderships;
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage)
      throws IOException {
    super.initialize(server, group, raftStorage);
    getLifeCycle()
        .startAndTransition(
            () -> {
              storage.init(raftStorage);
              load();
            },
            IOException.class);
  }

  /**
   * A snapshot of the leader is about to take the place of all that is here: no other one may be
   * written until {@link #reinitialize()}. Called for each piece of it.
   */
  @Override
  public void pause() {
    if (getLifeCycleState() != LifeCycle.State.RUNNING) {
      return;
    }
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    CompletableFuture<Long> current;
    synchronized (snapshots) {
      current = writing;
      writing = null;
    }
    if (current != null) {
      current.join();
    }
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() throws IOException {
    load();
    LOG.info("Metadata of the leader taken over at index {}", image.index());
    listener.replaced(image);
    if (getLifeCycleState() == LifeCycle.State.PAUSED) {
      getLifeCycle().transition(LifeCycle.State.STARTING);
      getLifeCycle().transition(LifeCycle.State.RUNNING);
    }
  }

  private void load() throws IOException {
    SingleFileSnapshotInfo snapshot = storage.loadLatestSnapshot();
    if (snapshot == null) {
      return;
    }
    image = SnapshotFile.read(snapshot.getFile().getPath(), getGroupId().getUuid());
    setLastAppliedTermIndex(snapshot.getTermIndex());
    synchronized (snapshots) {
      completeSnapshot = snapshot.getIndex();
    }
    LOG.info(
        "Metadata snapshot {} loaded: index {}, {} tables",
        snapshot.getFile().getPath().getFileName(),
        snapshot.getIndex(),
        image.state().tables().size());
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return storage;
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    SluiceException before = broken;
    if (before != null) {
      // It is in the log, and the others may well apply it.
      return CompletableFuture.failedFuture(outOfOrder(before, Map.of("outcome", "unknown")));
    }
    long start = System.nanoTime();
    Transition transition;
    try {
      Command command =
          CommandCodec.decode(entry.getStateMachineLogEntry().getLogData().toByteArray());
      transition = rules.apply(image.state(), command);
    } catch (RuntimeException failure) {
      // As above: what it does is not undone by this.
      SluiceException why = breakAt(entry.getIndex(), failure);
      return CompletableFuture.failedFuture(outOfOrder(why, Map.of("outcome", "unknown")));
    }
    MetadataImage next = new MetadataImage(entry.getIndex(), transition.state());
    image = next;
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    listener.applied(next, transition.events());
    applied.increment();
    applyNanos.add(System.nanoTime() - start);
    return CompletableFuture.completedFuture(
        Message.valueOf(wrap(CommandCodec.encode(entry.getIndex(), transition.outcome()))));
  }

  private SluiceException breakAt(long index, RuntimeException failure) {
    SluiceException why =
        new SluiceException(
            ErrorCode.INTERNAL,
            "Metadata command at index " + index + " cannot be applied: " + failure,
            failure);
    LOG.error(
        "This coordinator applies no more metadata commands, gives up leading and is not ready until"
            + " a version that can apply this one is started",
        why);
    broken = why;
    leads = false;
    listener.broken(why);
    return why;
  }

  private static SluiceException outOfOrder(SluiceException why, Map<String, String> details) {
    return new SluiceException(
        ErrorCode.UNAVAILABLE,
        "This coordinator is out of order; ask another one, and look at its log. "
            + why.getMessage(),
        details,
        why);
  }

  /**
   * Answers reads: Ratis has already made sure that the image is new enough, if all was applied.
   */
  @Override
  public CompletableFuture<Message> query(Message request) {
    SluiceException why = broken;
    return why == null
        ? CompletableFuture.completedFuture(Message.EMPTY)
        : CompletableFuture.failedFuture(outOfOrder(why, Map.of()));
  }

  /**
   * Starts writing a snapshot unless one is being written or has just been completed.
   *
   * @return index of the newest complete snapshot
   */
  @Override
  public long takeSnapshot() {
    synchronized (snapshots) {
      CompletableFuture<Long> current = writing;
      if (current != null && current.isDone()) {
        writing = null;
        completeSnapshot = Math.max(completeSnapshot, current.join());
      } else if (current == null) {
        startSnapshot();
      }
      return completeSnapshot;
    }
  }

  private void startSnapshot() {
    TermIndex last = getLastAppliedTermIndex();
    boolean due = last != null && last.getIndex() > completeSnapshot;
    if (due && broken == null && getLifeCycleState() == LifeCycle.State.RUNNING) {
      MetadataImage frozen = image;
      long before = completeSnapshot;
      writing = CompletableFuture.supplyAsync(() -> write(last, frozen, before), snapshotWriter);
    }
  }

  /** Returns the index of the snapshot, or {@code before} when it could not be written. */
  private long write(TermIndex applied, MetadataImage frozen, long before) {
    Path file = storage.getSnapshotFile(applied.getTerm(), applied.getIndex()).toPath();
    long start = System.nanoTime();
    try {
      SnapshotFile.write(file, getGroupId().getUuid(), applied.getTerm(), frozen);
      MD5Hash digest = MD5FileUtil.computeAndSaveMd5ForFile(file.toFile());
      storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file, digest), applied));
    } catch (IOException | RuntimeException failure) {
      LOG.error(
          "Metadata snapshot {} cannot be written; the log grows until one can", file, failure);
      return before;
    }
    LOG.info(
        "Metadata snapshot {} written: index {}, {} tables, {} ms",
        file.getFileName(),
        applied.getIndex(),
        frozen.state().tables().size(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    return applied.getIndex();
  }

  @Override
  public void notifyLeaderReady() {
    SluiceException why = broken;
    if (why != null) {
      listener.broken(why);
      return;
    }
    leaderships++;
    leads = true;
    listener.leading();
  }

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId self, RaftPeerId leader) {
    if (!self.getPeerId().equals(leader)) {
      leads = false;
      listener.following();
    }
  }

  @Override
  public void notifyExtendedNoLeader(RoleInfoProto role) {
    listener.alone();
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    leads = false;
    listener.following();
  }

  @Override
  public void close() throws IOException {
    leads = false;
    snapshotWriter.shutdown();
    try {
      if (!snapshotWriter.awaitTermination(CLOSE_WAIT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("A metadata snapshot was still being written when the coordinator stopped");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    super.close();
  }

  private static ByteString wrap(byte[] bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes);
  }
}
