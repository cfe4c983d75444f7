package io.sluice.coordinator.control;

import io.sluice.common.Agent;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.Table;
import io.sluice.format.partition.AutoPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the partitions that the time asks for, and drops those past their retention, while this
 * coordinator leads. Every interval it looks at all tables; what there is to do goes into the
 * metadata log in bounded groups, the next one when the one before is answered. A command names
 * table and partition by id, so nothing is done to a table or partition that has come in the place
 * of another one.
 */
public final class AutoPartitionAgent implements MetadataLog.Listener, Agent {
  private static final Logger LOG = LoggerFactory.getLogger(AutoPartitionAgent.class);

  /** The most commands under way. */
  static final int GROUP = 128;

  private final MetadataLog log;
  private final TimeSource time;
  private final long intervalNanos;
  private final IntToLongFunction diskUsedBytes;
  private final AtomicInteger underWay = new AtomicInteger();
  private final LongAdder created = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder failed = new LongAdder();

  /** Whether the log did not take a command: the rest waits for the next interval. */
  private final AtomicBoolean logFailed = new AtomicBoolean();

  private volatile boolean leading;
  private volatile Runnable wake = () -> {};

  // Below: the agent's thread alone.
  private boolean everLooked;
  private long lookedNanos;

  /** Whether the last look did not come to the end, and the table to go on behind. */
  private boolean unfinished;

  private long resumeAfter;

  /** What was last warned of, by table id, so that it is warned of once. */
  private final Map<Long, String> warned = new HashMap<>();

  /** One that places new buckets by the number of replicas alone. */
  public AutoPartitionAgent(MetadataLog log, TimeSource time, Duration interval) {
    this(log, time, interval, serverId -> 0);
  }

  /**
   * One that also looks at what is on the disks.
   *
   * @param diskUsedBytes what the replicas of a server take, by server id; 0 when not known
   */
  public AutoPartitionAgent(
      MetadataLog log, TimeSource time, Duration interval, IntToLongFunction diskUsedBytes) {
    this.log = log;
    this.time = time;
    this.intervalNanos = interval.toNanos();
    this.diskUsedBytes = diskUsedBytes;
  }

  /** Says how the agent's thread is woken; before it starts. */
  public void wakeWith(Runnable action) {
    wake = action;
  }

  /** Partitions created since the start. */
  public long created() {
    return created.sum();
  }

  /** Partitions dropped since the start. */
  public long dropped() {
    return dropped.sum();
  }

  /** Commands that failed since the start; what they were to do is tried again. */
  public long failed() {
    return failed.sum();
  }

  @Override
  public String name() {
    return "auto-partitioning";
  }

  @Override
  public int doWork() {
    if (!leading || underWay.get() > 0) {
      return 0;
    }
    long now = time.nanoTime();
    if (logFailed.getAndSet(false)) {
      unfinished = false;
    }
    if (!unfinished) {
      if (everLooked && now - lookedNanos < intervalNanos) {
        return 0;
      }
      everLooked = true;
      lookedNanos = now;
      resumeAfter = 0;
    }
    return look(log.current().state(), time.epochMs());
  }

  private int look(ClusterState state, long nowMs) {
    Pass pass = new Pass(state, nowMs);
    unfinished = true;
    for (PersistentMap.Entry<Long, Table> entry : state.tables()) {
      if (entry.key() <= resumeAfter || !entry.value().partitioned()) {
        continue;
      }
      if (pass.submitted >= GROUP) {
        // The tables up to the last one looked at are done.
        return pass.submitted;
      }
      pass.look(entry.value());
      if (pass.complete) {
        resumeAfter = entry.key();
      } else {
        return pass.submitted;
      }
    }
    unfinished = false;
    warned.keySet().removeIf(tableId -> state.table(tableId) == null);
    return pass.submitted;
  }

  /** One look at some tables, as of one state and one time. */
  private final class Pass {
    private final ClusterState state;
    private final long nowMs;
    private @Nullable Placement placement;
    private int submitted;

    /** Whether the last table needed no more commands than the group had room for. */
    private boolean complete;

    Pass(ClusterState state, long nowMs) {
      this.state = state;
      this.nowMs = nowMs;
    }

    void look(Table table) {
      complete = true;
      try {
        Optional<AutoPartition> auto = PartitionRules.autoPartition(table);
        if (auto.isPresent()) {
          dropExpired(table, auto.get());
          createDue(table, auto.get());
        }
        if (complete) {
          warned.remove(table.tableId());
        }
      } catch (SluiceException cannot) {
        String message = String.valueOf(cannot.getMessage());
        if (!message.equals(warned.put(table.tableId(), message))) {
          LOG.warn("Automatic partitioning of table {} waits: {}", table.path(), message);
        }
      }
    }

    private void dropExpired(Table table, AutoPartition auto) {
      for (Partition partition : PartitionRules.expired(table, auto, nowMs)) {
        if (submitted >= GROUP) {
          complete = false;
          return;
        }
        submit(
            new Command.DropPartition(table.tableId(), partition.partitionId()),
            table,
            partition.values(),
            "dropped: past its retention",
            dropped);
      }
    }

    private void createDue(Table table, AutoPartition auto) {
      int room = Table.MAX_PARTITIONS - table.partitions().size();
      for (String value : auto.toCreate(Instant.ofEpochMilli(nowMs))) {
        List<String> values = List.of(value);
        if (table.partition(values) != null) {
          continue;
        }
        if (submitted >= GROUP) {
          complete = false;
          return;
        }
        PartitionRules.checkRoom(table, room--);
        submit(
            PartitionRules.plan(table, values, placement(), nowMs),
            table,
            values,
            "created",
            created);
      }
    }

    private Placement placement() {
      if (placement == null) {
        placement = Placement.of(state, diskUsedBytes);
      }
      return placement;
    }

    private void submit(
        Command command, Table table, List<String> values, String done, LongAdder count) {
      submitted++;
      underWay.incrementAndGet();
      log.submit(command)
          .whenComplete(
              (applied, failure) -> {
                if (failure == null && applied.outcome() instanceof Outcome.Accepted accepted) {
                  count.increment();
                  LOG.info(
                      "Partition {} of table {} {}, automatically: id {}",
                      PartitionRules.name(table, values),
                      table.path(),
                      done,
                      accepted.id());
                } else {
                  failed.increment();
                  report(table, values, done, failure == null ? applied.outcome() : failure);
                  logFailed.compareAndSet(false, failure != null);
                }
                if (underWay.decrementAndGet() == 0) {
                  wake.run();
                }
              });
    }
  }

  /** Of many commands that the log did not take only the first is reported. */
  private void report(Table table, List<String> values, String done, Object why) {
    if (!(why instanceof Throwable) || !logFailed.get()) {
      LOG.info(
          "Partition {} of table {} is not {} yet: {}",
          PartitionRules.name(table, values),
          table.path(),
          done,
          why.toString());
    }
  }

  @Override
  public void applied(MetadataImage image, List<Event> events) {
    // The next look sees it.
  }

  @Override
  public void leading() {
    leading = true;
    wake.run();
  }

  @Override
  public void following() {
    leading = false;
  }

  @Override
  public void replaced(MetadataImage image) {
    // The next look sees it.
  }

  /** Submits nothing more; called when the agent's thread has stopped. */
  @Override
  public void close() {
    leading = false;
  }
}
