package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.tablet.log.KillingFiles.Killed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** Two logs of which each follows the other by turns, as the dice say. */
final class FollowerRun implements AutoCloseable {
  private final SplittableRandom random;
  private FollowedLog leader;
  private FollowedLog follower;
  private int epoch = 1;

  FollowerRun(Path root, SplittableRandom random) {
    this.random = random;
    this.leader = new FollowedLog(root.resolve("a"), random);
    this.follower = new FollowedLog(root.resolve("b"), random);
  }

  private interface Operation {
    void run();
  }

  void step() throws IOException {
    int dice = random.nextInt(1000);
    leader.test.clock.advanceMs(random.nextInt(20));
    follower.test.clock.advanceMs(random.nextInt(20));
    FollowedLog any = random.nextBoolean() ? leader : follower;
    if (dice < 400) {
      perhapsKilled(leader, () -> leader.append(epoch));
    } else if (dice < 640) {
      follow();
    } else if (dice < 660) {
      cutAnywhere();
    } else if (dice < 690) {
      newLeader();
    } else if (dice < 700) {
      jump();
    } else if (dice < 770) {
      perhapsKilled(any, any::force);
    } else if (dice < 800) {
      retain();
    } else if (dice < 840) {
      any.openCursor();
    } else if (dice < 950) {
      leader.moveCursors();
      follower.moveCursors();
    } else if (dice < 965) {
      any.restart();
    } else if (dice < 980) {
      any.crash();
    } else if (dice < 983) {
      perhapsKilled(follower, () -> follower.startAnew(LogBeginning.EMPTY, new FollowedModel()));
    } else if (dice < 986) {
      startAsLeader();
    } else {
      any.check();
    }
    assertThat(any.log().endOffset()).isEqualTo(any.model.end());
    assertThat(any.log().startOffset()).isEqualTo(any.model.start());
    assertThat(any.test.files.size()).as("bounded").isLessThanOrEqualTo(12);
  }

  /** Now and then the process is killed before one of the files that the operation uses. */
  private void perhapsKilled(FollowedLog log, Operation operation) {
    boolean kills = random.nextInt(25) == 0;
    FollowedModel before = kills ? log.model.copy() : log.model;
    if (kills) {
      log.files().killAfter(random.nextInt(12));
    }
    try {
      operation.run();
      log.files().live();
    } catch (Killed killed) {
      log.openKilled(before);
    }
  }

  private void follow() {
    long agreed = follower.model.common(leader.model);
    if (follower.model.end() < leader.model.start() || agreed < follower.model.start()) {
      startAsLeader();
    } else if (agreed < follower.model.end()) {
      perhapsKilled(follower, () -> follower.cutTo(agreed));
    } else {
      int bytes = random.nextInt(4) == 0 ? 1 : random.nextInt(1 << random.nextInt(8, 17));
      perhapsKilled(follower, () -> follower.fetchFrom(leader, bytes));
    }
  }

  private void startAsLeader() {
    LogBeginning beginning = leader.log().beginning();
    assertThat(beginning.offset()).isEqualTo(leader.model.start());
    perhapsKilled(follower, () -> follower.startAnew(beginning, leader.model));
  }

  private void cutAnywhere() {
    long end = follower.model.end();
    long deepest = random.nextInt(4) == 0 ? end : Math.min(end, 40);
    long offset = end - random.nextLong(deepest + 1);
    perhapsKilled(follower, () -> follower.cutTo(offset));
  }

  /** The other one leads, with what it has; or the same one again. */
  private void newLeader() {
    epoch += 1 + random.nextInt(3);
    if (random.nextInt(3) > 0) {
      FollowedLog other = leader;
      leader = follower;
      follower = other;
    }
    leader.log().startEpoch(epoch);
  }

  private void jump() {
    newLeader();
    long offset = leader.model.end() + 1 + random.nextInt(50);
    perhapsKilled(leader, () -> leader.jump(epoch, offset));
  }

  /** The leader lets old segments go; the follower's log start follows. */
  private void retain() {
    if (random.nextBoolean()) {
      long span = leader.model.end() - leader.model.start();
      long below = leader.model.start() + span / (2 + random.nextInt(4));
      leader.force();
      perhapsKilled(leader, () -> leader.trim(below));
    } else {
      perhapsKilled(follower, () -> follower.trim(leader.model.start()));
    }
  }

  void check() {
    leader.check();
    follower.check();
  }

  @Override
  public void close() {
    leader.close();
    follower.close();
  }
}
