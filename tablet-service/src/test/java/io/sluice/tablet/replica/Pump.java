package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.FetchDecision;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.Followers;
import io.sluice.tablet.replication.ReplicationSink;
import io.sluice.tablet.replication.ReplicationSource;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Carries batches from leaders to followers when a test says so: one fetch of each follower in each
 * round. Servers can be cut off, and what travels can be changed.
 */
final class Pump {
  private static final int FETCH_BYTES = 64 << 10;

  private final ReplicaGroup group;
  private final Map<Integer, Followed> followed = new ConcurrentHashMap<>();
  private final Set<Integer> cut = ConcurrentHashMap.newKeySet();
  private final Map<Integer, Long> promises = new ConcurrentHashMap<>();
  private final List<SluiceException> failures = new ArrayList<>();
  private volatile UnaryOperator<ByteBuffer> inTransit = UnaryOperator.identity();

  /** What a follower follows. */
  private record Followed(ReplicationSink sink, int leader, int epoch, Link link) {}

  /** The stream of a follower to one leader. */
  private final class Link implements FollowerLink {
    private final int server;
    private final String incarnation;
    private volatile long lastFetch;
    private volatile long lease = NO_LEASE;
    private volatile long answered = NO_LEASE;

    Link(int server) {
      this.server = server;
      this.incarnation = group.server(server).incarnation();
      this.lastFetch = group.clock.nanoTime();
    }

    void fetches() {
      lastFetch = group.clock.nanoTime();
      lease = answered;
    }

    void answered() {
      answered = group.clock.nanoTime();
    }

    void ends() {
      lease = NO_LEASE;
    }

    @Override
    public int serverId() {
      return server;
    }

    @Override
    public String incarnation() {
      return incarnation;
    }

    @Override
    public long lastFetchNanos() {
      return lastFetch;
    }

    @Override
    public long leaseBaseNanos() {
      return lease;
    }
  }

  Pump(ReplicaGroup group) {
    this.group = group;
  }

  Followers followers(int server) {
    return new Followers() {
      @Override
      public void follow(ReplicationSink sink, int leader, int epoch, boolean inSync) {
        Followed before = followed.get(server);
        if (before == null || before.leader() != leader || before.epoch() != epoch) {
          ends(server);
          followed.put(server, new Followed(sink, leader, epoch, new Link(server)));
        }
      }

      @Override
      public void unfollow(TableBucket bucket) {
        ends(server);
      }

      @Override
      public long promisedUntilNanos(TableBucket bucket) {
        return promises.getOrDefault(server, Long.MIN_VALUE);
      }
    };
  }

  /** The stream of a follower is over. */
  void ends(int server) {
    Followed before = followed.remove(server);
    if (before != null) {
      before.link().ends();
      ReplicationSource source = source(before.leader());
      if (source != null) {
        source.left(before.link());
      }
    }
  }

  void promise(int server, long untilNanos) {
    promises.put(server, untilNanos);
  }

  /** Nothing reaches the server or leaves it any more. */
  void cut(int server) {
    cut.add(server);
  }

  void heal(int server) {
    cut.remove(server);
  }

  boolean isCut(int server) {
    return cut.contains(server);
  }

  /** What becomes of batches on their way; they may be changed in place. */
  void inTransit(UnaryOperator<ByteBuffer> change) {
    inTransit = change;
  }

  /** What followers could not take in. */
  List<SluiceException> failures() {
    return failures;
  }

  /** One fetch of each follower that can reach its leader. */
  void round() throws Exception {
    for (Map.Entry<Integer, Followed> entry : new HashMap<>(followed).entrySet()) {
      Followed each = entry.getValue();
      if (!cut.contains(entry.getKey()) && !cut.contains(each.leader())) {
        fetch(each);
      }
    }
  }

  private @Nullable ReplicationSource source(int server) {
    try {
      return group.server(server).set().source(ReplicaGroup.BUCKET);
    } catch (SluiceException gone) {
      return null;
    }
  }

  private void fetch(Followed follower) throws Exception {
    FetchPosition position = follower.sink().position();
    ReplicationSource source = source(follower.leader());
    if (position == null || source == null) {
      return;
    }
    follower.link().fetches();
    CompletableFuture<ReplicationSource.Answer> asked = new CompletableFuture<>();
    source.fetched(follower.link(), position, follower.sink().ready(), asked::complete);
    ReplicationSource.Answer answer = asked.get(20, TimeUnit.SECONDS);
    ReplicationSource.State state = source.state();
    if (answer.decision() == null || state == null) {
      return;
    }
    ReplicationSink.Received received = received(source, state, position, answer.decision());
    follower.link().answered();
    if (received == null) {
      return;
    }
    CompletableFuture<ReplicationSink.Outcome> stored = new CompletableFuture<>();
    follower.sink().received(received, stored::complete);
    SluiceException failure = stored.get(20, TimeUnit.SECONDS).failure();
    if (failure != null) {
      failures.add(failure);
    }
  }

  private ReplicationSink.@Nullable Received received(
      ReplicationSource source,
      ReplicationSource.State state,
      FetchPosition position,
      FetchDecision decision) {
    ByteBuffer nothing = ByteBuffer.allocate(0);
    if (decision instanceof FetchDecision.Agrees) {
      ByteBuffer batches = source.read(position.offset(), FETCH_BYTES, ByteBuffer::allocateDirect);
      return received(state, inTransit.apply(batches), null, null);
    }
    if (decision instanceof FetchDecision.Diverges diverges) {
      return received(state, nothing, diverges.end(), null);
    }
    if (decision instanceof FetchDecision.Behind) {
      return received(state, nothing, null, source.beginning());
    }
    return null;
  }

  private static ReplicationSink.Received received(
      ReplicationSource.State state,
      ByteBuffer batches,
      EpochHistory.@Nullable End diverges,
      ReplicationSource.@Nullable Beginning beginning) {
    return new ReplicationSink.Received(
        state.leaderEpoch(),
        state.committed(),
        state.logStart(),
        state.logEnd(),
        batches,
        diverges,
        beginning);
  }

  /** Servers that follow that one under that epoch. */
  Set<Integer> following(int leader, int epoch) {
    Set<Integer> servers = new HashSet<>();
    followed.forEach(
        (server, each) -> {
          if (each.leader() == leader && each.epoch() == epoch) {
            servers.add(server);
          }
        });
    return servers;
  }
}
