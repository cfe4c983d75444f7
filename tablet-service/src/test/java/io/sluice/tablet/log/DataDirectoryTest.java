package io.sluice.tablet.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.testkit.Await;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.FaultyFiles.Operation;
import io.sluice.testkit.MovedClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DataDirectoryTest {
  private static final TableBucket BUCKET = TableBucket.of(7, 0);

  @TempDir private Path temp;

  private final FaultyFiles faulty = new FaultyFiles().withoutForcing();
  private final StoragePlatform platform =
      new StoragePlatform(new MovedClock(1_700_000_000_000L), faulty::open, directory -> 0);

  /** A point that came back would make the bucket, created again, look as if its log was lost. */
  @Test
  void aBucketThatIsRemovedWhileOffsetsAreSavedStaysForgotten() throws Exception {
    try (DataDirectory data = DataDirectory.open(platform, temp, 1)) {
      Thread first = new Thread(() -> data.forget(Set.of(BUCKET)));
      data.saveRecoveryPoints(() -> removedMeanwhile(first, 40));
      first.join();
      assertThat(data.recoveryPoint(BUCKET)).isZero();
      Thread second = new Thread(() -> data.forget(Set.of(BUCKET)));
      data.saveCommitted(() -> removedMeanwhile(second, 30));
      second.join();
      assertThat(data.committed(BUCKET)).isZero();
    }
  }

  /** The offset of the bucket as it was before the remover got as far as it can. */
  private static Map<TableBucket, Long> removedMeanwhile(Thread remover, long offset) {
    remover.start();
    Await.until(
        "it has removed the bucket or waits",
        Duration.ofSeconds(10),
        () ->
            remover.getState() == Thread.State.BLOCKED
                || remover.getState() == Thread.State.TERMINATED);
    return Map.of(BUCKET, offset);
  }

  @Test
  void aStartOnAFullDiskDeletesWhatWasRemovedBefore() throws IOException {
    Path removed = temp.resolve("7/0-0.1.deleted");
    try (DataDirectory data = DataDirectory.open(platform, temp, 1)) {
      data.saveRecoveryPoints(() -> Map.of(BUCKET, 40L));
    }
    Files.createDirectories(removed);
    Files.createFile(removed.resolve("00000000000000000000.log"));
    faulty.failAlways(Operation.WRITE, "recovery-points.tmp", "No space left on device");
    try (DataDirectory data = DataDirectory.open(platform, temp, 1)) {
      assertThat(data.scan()).isEmpty();
      assertThat(temp.resolve("7")).doesNotExist();
      assertThat(data.recoveryPoint(BUCKET)).isZero();
      assertThatThrownBy(() -> data.createLog(context(), BUCKET, "demo.t"))
          .as("its log would begin below the point that is still saved")
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FULL));
      faulty.heal();
      data.createLog(context(), BUCKET, "demo.t").close();
    }
    try (DataDirectory data = DataDirectory.open(platform, temp, 1)) {
      assertThat(data.recoveryPoint(BUCKET)).isZero();
    }
  }

  private LogContext context() {
    return new LogContext(
        platform,
        new OpenFiles(platform.files(), 16),
        LogConfig.DEFAULT,
        "0f8fad5b-d9cb-469f-a165-70867728950e",
        writer -> false);
  }

  @Test
  void aFullDiskDoesNotKeepADirectoryWithoutOwnerFromBeingOpened() throws IOException {
    faulty.failAlways(Operation.WRITE, "server.tmp", "No space left on device");
    DataDirectory.open(platform, temp, 1).close();
    assertThat(temp.resolve("server")).doesNotExist();
    faulty.heal();
    DataDirectory.open(platform, temp, 1).close();
    assertThat(temp.resolve("server")).exists();
  }
}
