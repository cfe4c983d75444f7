package io.sluice.tablet.log;

import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.TestBatches.TestBatch;
import io.sluice.testkit.FaultyFiles;
import io.sluice.testkit.MovedClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A log in a directory of its own, with a clock that stands still and small segments. */
final class TestLog implements AutoCloseable {
  static final String CLUSTER = "0f8fad5b-d9cb-469f-a165-70867728950e";
  static final TableBucket BUCKET = TableBucket.of(7, 3);
  static final LogConfig SMALL = new LogConfig(64 << 10, 3_600_000, 512, 1 << 10, 86_400_000);

  final MovedClock clock = new MovedClock(1_700_000_000_000L);
  final OpenFiles files;
  final LogContext context;
  BucketLog log;

  private TestLog(FileOpener opener, LogConfig config) {
    this.files = new OpenFiles(opener, 8);
    this.context =
        new LogContext(
            new StoragePlatform(clock, opener, directory -> 0),
            files,
            config,
            CLUSTER,
            id -> false);
  }

  static TestLog open(Path directory, long recoveryPoint) {
    return open(directory, recoveryPoint, new FaultyFiles().withoutForcing()::open, SMALL);
  }

  static TestLog open(Path directory, long recoveryPoint, FileOpener opener, LogConfig config) {
    return open(directory, recoveryPoint, opener, config, RecoveryPoints.NONE);
  }

  static TestLog open(
      Path directory,
      long recoveryPoint,
      FileOpener opener,
      LogConfig config,
      RecoveryPoints points) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    TestLog test = new TestLog(opener, config);
    try {
      test.log = BucketLog.open(test.context, directory, BUCKET, recoveryPoint, points);
    } catch (RuntimeException e) {
      test.files.close();
      throw e;
    }
    return test;
  }

  long append(TestBatch batch) {
    return append(batch, 1);
  }

  long append(TestBatch batch, int epoch) {
    log.startEpoch(epoch);
    return log.append(batch.header(), batch.sections(), epoch);
  }

  /** Base offset and rows of every batch that can be read. */
  List<long[]> read() {
    List<long[]> found = new ArrayList<>();
    try (LogCursor cursor = log.openCursor(log.startOffset())) {
      while (cursor.next(Long.MAX_VALUE)) {
        LogBatchHeader header = cursor.header();
        found.add(new long[] {header.baseOffset(), header.recordCount()});
      }
    }
    return found;
  }

  Path segment(int number) {
    try (Stream<Path> all = Files.list(log.directory())) {
      return all.filter(path -> path.toString().endsWith(".log")).sorted().toList().get(number);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.toList();
    }
  }

  static void delete(Path directory) throws IOException {
    DurableFiles.deleteTree(directory);
  }

  /** The directory as a crash at this moment would leave it, page cache included. */
  static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
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

  @Override
  public void close() {
    log.close();
    files.close();
  }
}
