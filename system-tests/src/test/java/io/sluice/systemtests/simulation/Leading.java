package io.sluice.systemtests.simulation;

import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.FetchDecision;
import io.sluice.tablet.replication.FetchPosition;
import io.sluice.tablet.replication.FollowerLink;
import io.sluice.tablet.replication.IsrProposals;
import io.sluice.tablet.replication.IsrTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A tablet that leads the bucket in one epoch, or prepares to. */
final class Leading {
  private static final int BATCHES_OF_ANSWER = 4;
  private static final long LONG_POLL = Scheduler.ms(500);

  private final Simulation cluster;
  private final SimTablet tablet;
  private final int epoch;
  private final long epochStart;
  private final LeaderRules rules;
  private final Map<Integer, Link> links = new TreeMap<>();
  private final List<Waiting> waiting = new ArrayList<>();
  private boolean serving;
  private boolean retries;

  /** One follower's stream. */
  static final class Link implements FollowerLink {
    private final int server;
    private final String incarnation;
    private final boolean promises;
    private final Consumer<Answer> back;
    private final Scheduler scheduler;
    private long lastFetch;
    private long leaseBase = NO_LEASE;
    private long answeredAt = NO_LEASE;
    private long answers;
    private long toldCommitted = -1;
    // The fetch that is not answered yet: its offset, or -1.
    private long parkedAt = -1;
    private boolean over;

    Link(
        int server,
        String incarnation,
        boolean promises,
        Consumer<Answer> back,
        Scheduler scheduler) {
      this.server = server;
      this.incarnation = incarnation;
      this.promises = promises;
      this.back = back;
      this.scheduler = scheduler;
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
      return over ? NO_LEASE : leaseBase;
    }

    /** A fetch came, after the newest answer. */
    void fetched() {
      lastFetch = scheduler.now();
      leaseBase = promises ? answeredAt : NO_LEASE;
    }

    void close() {
      over = true;
    }

    void answer(Answer answer) {
      parkedAt = -1;
      answeredAt = scheduler.now();
      back.accept(answer);
    }

    long nextAnswer() {
      return ++answers;
    }
  }

  private record Waiting(long end, Runnable acknowledge, Runnable refuse) {}

  Leading(Simulation cluster, SimTablet tablet, Role role, long epochStart, long committed) {
    this.cluster = cluster;
    this.tablet = tablet;
    this.epoch = role.epoch();
    this.epochStart = epochStart;
    this.rules = cluster.rules().leading(tablet.id(), epoch, epochStart, committed);
    rules.appended(tablet.log().end());
    rules.decided(role.replicas(), role.isr(), role.minInsync(), role.version(), now());
  }

  int epoch() {
    return epoch;
  }

  boolean serving() {
    return serving;
  }

  LeaderRules rules() {
    return rules;
  }

  /** A role of the same epoch. */
  void decided(Role role) {
    rules.decided(role.replicas(), role.isr(), role.minInsync(), role.version(), now());
    moved();
  }

  private long now() {
    return cluster.scheduler().now();
  }

  private boolean current() {
    return tablet.leading() == this;
  }

  /** A follower says where its log ends. */
  void fetch(Link link, FetchPosition position) {
    SimLog log = tablet.log();
    Link before = links.put(link.server, link);
    if (before != null && before != link) {
      before.close();
      rules.left(before);
    }
    FetchDecision decision =
        cluster.rules().decide(epoch, log.epochs(), log.start(), log.end(), position);
    if (decision instanceof FetchDecision.Agrees) {
      rules.fetched(link, position.offset(), now());
      link.parkedAt = position.offset();
      moved();
      if (current() && !answerIfNews(link)) {
        long owed = link.answers;
        cluster
            .scheduler()
            .after(
                LONG_POLL,
                tablet.guarded(
                    () -> {
                      if (current() && link.answers == owed && link.parkedAt >= 0) {
                        answerData(link);
                      }
                    }));
      }
    } else if (decision instanceof FetchDecision.Diverges diverges) {
      link.answer(answer(link, diverges.end(), null));
    } else if (decision instanceof FetchDecision.Behind) {
      link.answer(
          answer(
              link,
              null,
              new Answer.Beginning(
                  log.start(), log.epochs().cutTo(log.start()), log.writersBelow())));
    } else {
      link.answer(Answer.refusal(link.nextAnswer(), epoch));
    }
  }

  private Answer answer(
      Link link, EpochHistory.@Nullable End diverges, Answer.@Nullable Beginning beginning) {
    SimLog log = tablet.log();
    return new Answer(
        link.nextAnswer(),
        epoch,
        tablet.committed(),
        log.start(),
        log.end(),
        List.of(),
        diverges,
        beginning,
        false);
  }

  private boolean answerIfNews(Link link) {
    if (link.over || link.parkedAt < 0) {
      return true;
    }
    if (tablet.log().end() > link.parkedAt || tablet.committed() > link.toldCommitted) {
      answerData(link);
      return true;
    }
    return false;
  }

  private void answerData(Link link) {
    SimLog log = tablet.log();
    link.toldCommitted = tablet.committed();
    link.answer(
        new Answer(
            link.nextAnswer(),
            epoch,
            tablet.committed(),
            log.start(),
            log.end(),
            link.parkedAt < log.end() ? log.read(link.parkedAt, BATCHES_OF_ANSWER) : List.of(),
            null,
            null,
            false));
  }

  /** A follower's stream is over. */
  void left(Link link) {
    link.close();
    rules.left(link);
    if (links.get(link.server) == link) {
      links.remove(link.server);
    }
  }

  /** The log has grown here. */
  void appended() {
    rules.appended(tablet.log().end());
    moved();
  }

  /** Acts on what the rules say now. */
  void moved() {
    if (rules.committed() > tablet.committed()) {
      tablet.committedTo(rules.committed(), epoch);
      if (!current()) {
        return;
      }
      for (int i = 0; i < waiting.size(); i++) {
        Waiting put = waiting.get(i);
        if (put.end() <= tablet.committed()) {
          waiting.remove(i--);
          put.acknowledge().run();
        }
      }
    }
    serveIfReady();
    propose();
    links.values().forEach(this::answerIfNews);
  }

  private void serveIfReady() {
    if (serving || !(tablet.committed() >= epochStart || cluster.rules().servesAtOnce())) {
      return;
    }
    long promised = cluster.rules().keepsPromise() ? tablet.promisedUntil() : 0;
    if (now() < promised) {
      if (!retries) {
        retries = true;
        cluster
            .scheduler()
            .at(
                promised,
                tablet.guarded(
                    () -> {
                      retries = false;
                      if (current()) {
                        serveIfReady();
                      }
                    }));
      }
      return;
    }
    serving = true;
    cluster.note("%d leads in epoch %d, committed %d", tablet.id(), epoch, tablet.committed());
    cluster.checker().leads(tablet, epoch);
  }

  /** Asks for another in-sync set where the rules want one. */
  void propose() {
    IsrTracker.Proposal proposal = rules.propose(now());
    if (proposal != null) {
      cluster.asks(proposal);
      ask(proposal, new boolean[1], 0);
    }
  }

  private void ask(IsrTracker.Proposal proposal, boolean[] answered, int attempt) {
    if (answered[0] || !current()) {
      return;
    }
    cluster
        .network()
        .send(
            tablet.id(),
            0,
            () -> {
              cluster.asked(tablet.id(), proposal);
              IsrProposals.Decision decision =
                  cluster.coordinator().alterIsr(tablet.id(), proposal);
              if (decision != null && !cluster.losesAnswer()) {
                cluster
                    .network()
                    .send(
                        0,
                        tablet.id(),
                        tablet.guarded(() -> answered(proposal, decision, answered)));
              }
            });
    cluster
        .scheduler()
        .after(
            Scheduler.ms(Math.min(2000, 500L << attempt)),
            tablet.guarded(() -> ask(proposal, answered, Math.min(2, attempt + 1))));
  }

  private void answered(
      IsrTracker.Proposal proposal, IsrProposals.Decision decision, boolean[] answered) {
    if (!answered[0] && current()) {
      answered[0] = true;
      rules.answered(proposal, decision, now());
      moved();
    }
  }

  /** Calls one of the two once it is known that everything up to now is committed, or not. */
  void whenCommitted(long end, Runnable acknowledge, Runnable refuse) {
    if (end <= tablet.committed()) {
      acknowledge.run();
    } else {
      waiting.add(new Waiting(end, acknowledge, refuse));
    }
  }

  /** Another one leads. */
  void over() {
    serving = false;
    links.values().forEach(Link::close);
    waiting.forEach(put -> put.refuse().run());
    waiting.clear();
  }
}
