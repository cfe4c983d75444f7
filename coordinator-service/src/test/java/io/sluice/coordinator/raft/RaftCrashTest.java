package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process that was killed leaves behind, and a start from it. */
class RaftCrashTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int PAGE = 4096;

  /** Wider than a page, so that a write of it can be cut short between two. */
  private static final String COMMENT = "c".repeat(3 * PAGE);

  @TempDir Path temp;

  /** A log as a kill leaves it: preallocated, with the last entry at its end. */
  private record Killed(Path home, Path segment, int lastEntryAt, int end) {}

  private static RaftMetadataLog opened(Path home) throws Exception {
    RaftMetadataLog log = new RaftMetadataLog(RaftSettings.single("1", home, 9123));
    try {
      log.start();
      Await.until("the coordinator leads", SOON, log::leads);
    } catch (Exception | AssertionError failure) {
      log.close();
      throw failure;
    }
    return log;
  }

  private Killed killed() throws Exception {
    Path home = temp.resolve("running");
    Path copy = temp.resolve("killed");
    try (RaftMetadataLog log = opened(home)) {
      log.submit(new Command.CreateDatabase("kept", "", 5)).get();
      int before = end(segment(home));
      log.submit(new Command.CreateDatabase("last", COMMENT, 6)).get();
      // The entry after it, which says how far is committed, is written when it is due.
      copy(home, copy);
      return new Killed(copy, segment(copy), before, end(segment(copy)));
    }
  }

  private static Path segment(Path home) throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      List<Path> found =
          files.filter(file -> file.getFileName().toString().startsWith("log_inprogress")).toList();
      return found.get(found.size() - 1);
    }
  }

  /** Where the zeros of preallocation begin. */
  private static int end(Path segment) throws IOException {
    byte[] bytes = Files.readAllBytes(segment);
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] == 0) {
      end--;
    }
    return end;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    }
  }

  private static void assertOpensWithoutTheLast(Path home) throws Exception {
    try (RaftMetadataLog log = opened(home)) {
      assertThat(log.readLatest().get().state().databases().containsKey("kept")).isTrue();
      assertThat(log.readLatest().get().state().databases().containsKey("last")).isFalse();
      assertThat(log.submit(new Command.CreateDatabase("last", "", 7)).get().outcome())
          .isInstanceOf(Outcome.Accepted.class);
    }
    try (RaftMetadataLog log = opened(home)) {
      assertThat(log.readLatest().get().state().databases().containsKey("last")).isTrue();
    }
  }

  @Test
  void aFirstStartThatWasKilledIsRepeated() throws Exception {
    String group = RaftServers.GROUP.getUuid().toString();
    Path directory = temp.resolve("empty");
    Files.createDirectories(directory.resolve(group));
    opened(directory).close();
    Path current = temp.resolve("current");
    Files.createDirectories(current.resolve(group).resolve("current"));
    opened(current).close();
    Path temporary = temp.resolve("temporary");
    Path meta = temporary.resolve(group).resolve("current").resolve("raft-meta.tmp");
    Files.createDirectories(meta.getParent());
    Files.createFile(meta);
    opened(temporary).close();
    opened(temporary).close();
  }

  @Test
  void aLogWhoseDescriptionIsLostIsNotReplaced() throws Exception {
    Killed killed = killed();
    Files.delete(killed.segment().resolveSibling("raft-meta"));
    assertThatThrownBy(() -> opened(killed.home()).close())
        .hasMessageContaining("cannot be opened");
    assertThat(killed.segment()).exists();
  }

  @Test
  void anEntryCutShortIsLeftOut() throws Exception {
    Killed killed = killed();
    byte[] bytes = Arrays.copyOf(Files.readAllBytes(killed.segment()), killed.end() - PAGE);
    Files.write(killed.segment(), bytes);
    assertOpensWithoutTheLast(killed.home());
  }

  @Test
  void anEntryOfWhichTheLastPagesWereNotWrittenIsLeftOut() throws Exception {
    Killed killed = killed();
    byte[] bytes = Files.readAllBytes(killed.segment());
    Arrays.fill(bytes, (killed.lastEntryAt() / PAGE + 1) * PAGE, bytes.length, (byte) 0);
    Files.write(killed.segment(), bytes);
    assertOpensWithoutTheLast(killed.home());
  }

  @Test
  void damageBeforeTheLastEntryStopsTheStart() throws Exception {
    Killed killed = killed();
    byte[] bytes = Files.readAllBytes(killed.segment());
    bytes[killed.lastEntryAt() - 12] ^= 1;
    Files.write(killed.segment(), bytes);
    assertThatThrownBy(() -> opened(killed.home()).close())
        .hasMessageContaining("cannot be opened");
  }
}
