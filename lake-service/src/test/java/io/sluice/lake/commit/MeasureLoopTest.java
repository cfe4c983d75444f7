package io.sluice.lake.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasureLoopTest {
  private static final long TABLE = 5;
  private static final String ROUND = "5-1-00000001";
  private static final String LOST = "5-1-00000002";

  @TempDir private Path directory;
  private LakeUnderTest lake;

  @BeforeEach
  void open() {
    lake = new LakeUnderTest(directory);
    lake.record().create(TABLE, "demo", "flights", 2);
  }

  @AfterEach
  void close() {
    lake.close();
  }

  private TableMeasures measure(UntieredRows untiered) {
    List<TableMeasures> taken = new ArrayList<>();
    lake.compare();
    MeasureLoop loop =
        lake.committer()
            .measures(
                lake.catalog(), untiered, TimeSource.SYSTEM, Duration.ofMinutes(1), taken::addAll);
    while (loop.doWork() > 0) {
      assertThat(taken).hasSizeLessThanOrEqualTo(1);
    }
    return taken.get(0);
  }

  @Test
  void countsWhatIsThereAndWhatNobodyNames() throws IOException {
    PrepareRoundResponse prepared = lake.prepare(TABLE, 1, ROUND);
    CommitRoundRequest request = lake.write(prepared, ROUND, 1, Map.of(0, 10, 1, 3));
    lake.rounds().commit(request);
    lake.write(lake.prepare(TABLE, 1, LOST), LOST, 1, Map.of(0, 10));
    assertThat(measure((table, offsets) -> UntieredRows.NONE).orphanFiles()).isZero();

    age(directory.resolve("warehouse/demo/flights-5/data"), Duration.ofHours(25));
    TableMeasures measures =
        measure(
            (table, offsets) -> {
              assertThat(table.toString()).isEqualTo("demo.flights");
              assertThat(offsets.toString()).isEqualTo("{0-0=10, 0-1=3}");
              return System.currentTimeMillis() - 5_000;
            });
    assertThat(measures.files()).isEqualTo(2);
    assertThat(measures.records()).isEqualTo(13);
    assertThat(measures.snapshots()).isEqualTo(1);
    assertThat(measures.fileBytes()).isPositive();
    assertThat(measures.orphanFiles()).isEqualTo(1);
    assertThat(measures.recordLagMs()).isBetween(5_000L, 60_000L);
  }

  @Test
  void aLagThatNobodyTellsIsUnknown() {
    TableMeasures measures =
        measure(
            (table, offsets) -> {
              throw new SluiceException(ErrorCode.UNAVAILABLE, "injected: no tablet");
            });
    assertThat(measures.recordLagMs()).isNull();
    assertThat(measures.files()).isZero();
  }

  private static void age(Path folder, Duration by) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(by)));
      }
    }
  }
}
