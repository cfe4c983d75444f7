package io.sluice.tablet.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TableBucket;
import io.sluice.tablet.log.TestBatches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** bounded: many buckets on one server. */
final class ManyBucketsTest {
  private static final int BUCKETS = 400;
  private static final int OPEN_FILES = 16;

  @TempDir private Path temp;

  private TestTablet open(int epoch) {
    HostedTable four = TestTablet.table(7, "wide");
    HostedTable table =
        new HostedTable(7, four.path(), four.schemas(), BUCKETS, List.of(), Map.of());
    List<ReplicaRole> roles = new ArrayList<>();
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      roles.add(TestTablet.role(TableBucket.of(7, bucket), TestTablet.SERVER, epoch));
    }
    return TestTablet.open(temp)
        .apply(
            new ReplicaUpdate.Image(TestTablet.CLUSTER, epoch, List.of(table), roles, List.of()));
  }

  private static void putIntoEach(TestTablet tablet) throws Exception {
    List<Answer> answers = new ArrayList<>();
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      answers.add(
          TestTablet.put(
              tablet.set.require(TableBucket.of(7, bucket)), TestBatches.plain(1, 10), -1));
    }
    for (Answer answer : answers) {
      answer.get();
    }
  }

  private long files(String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(temp)) {
      return all.filter(path -> path.toString().endsWith(suffix)).count();
    }
  }

  @Test
  void openFilesStayBoundedAndEveryLogComesBack() throws Exception {
    try (TestTablet tablet = open(1)) {
      assertThat(tablet.set.files().size()).as("idle ones have none").isZero();
      putIntoEach(tablet);
      tablet.set.housekeeper().doWork();
      assertThat(tablet.set.files().size()).isLessThanOrEqualTo(OPEN_FILES);
    }
    assertThat(files(".index")).isEqualTo(BUCKETS);
    try (TestTablet tablet = open(2)) {
      assertThat(tablet.set.files().size()).isZero();
      assertThat(tablet.set.offline()).isEmpty();
      assertThat(tablet.set.all()).allMatch(replica -> replica.offsets().visible() == 1);
      long forces = tablet.faulty.forces();
      tablet.set.close();
      assertThat(tablet.faulty.forces() - forces)
          .as("a log that nobody wrote to is closed without a force")
          .isLessThan(20);
    }
    try (TestTablet tablet = open(3)) {
      putIntoEach(tablet);
      tablet.set.apply(TestTablet.dropped(4, 7));
      tablet.set.housekeeper().doWork();
      assertThat(files(".log")).as("dropped tables leave no file").isZero();
      assertThat(tablet.set.files().size()).isZero();
    }
  }
}
