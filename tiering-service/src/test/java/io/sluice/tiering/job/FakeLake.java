package io.sluice.tiering.job;

import io.sluice.common.SluiceException;
import io.sluice.tiering.commit.CommitOutcome;
import io.sluice.tiering.commit.Lake;
import io.sluice.tiering.commit.PreparedRound;
import io.sluice.tiering.commit.RoundCommit;
import io.sluice.tiering.commit.RoundKey;
import io.sluice.tiering.write.LakeTables;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A lake that commits, unless it was told other outcomes first. */
final class FakeLake implements Lake {
  final Map<Integer, Long> recorded = new ConcurrentHashMap<>();
  final List<RoundCommit> commits = new CopyOnWriteArrayList<>();
  final AtomicInteger resolves = new AtomicInteger();

  /** Outcomes of the next commits and resolves; afterwards all are committed. */
  final Queue<CommitOutcome> outcomes = new ArrayDeque<>();

  /** Runs inside of a commit. */
  volatile Runnable inCommit = () -> {};

  volatile @Nullable SluiceException refusal;
  private final Path directory;

  FakeLake(Path directory) {
    this.directory = directory;
  }

  Path files(String roundId) {
    return directory.resolve("round-" + roundId);
  }

  @Override
  public PreparedRound prepare(RoundKey key) {
    SluiceException refused = refusal;
    if (refused != null) {
      throw refused;
    }
    return new PreparedRound(
        7,
        recorded,
        "file://" + files(key.roundId()),
        LakeTables.schemaJson(FakeLog.SCHEMA),
        LakeTables.specJson(FakeLog.SCHEMA));
  }

  @Override
  public CommitOutcome commit(RoundCommit commit) {
    commits.add(commit);
    inCommit.run();
    return next(commit);
  }

  @Override
  public synchronized CommitOutcome resolve(RoundKey key) {
    resolves.incrementAndGet();
    return next(commits.get(commits.size() - 1));
  }

  private synchronized CommitOutcome next(RoundCommit commit) {
    CommitOutcome outcome = outcomes.poll();
    if (outcome == null) {
      recorded.putAll(commit.end());
      outcome = new CommitOutcome.Committed(100 + commits.size());
    }
    return outcome;
  }
}
