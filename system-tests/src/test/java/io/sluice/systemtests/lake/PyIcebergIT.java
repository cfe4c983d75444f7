package io.sluice.systemtests.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.common.TablePath;
import io.sluice.systemtests.clients.Python;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stock pyiceberg on the catalog. Skipped where Python is not at hand. */
final class PyIcebergIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String READ = "system-tests/src/test/python/read_lake.py";
  private static final String APPEND = "system-tests/src/test/python/append_lake.py";
  private static final int COMMITS = Boolean.getBoolean("sluice.soak") ? 20 : 10;
  private static final int ROWS = 10;
  private static final OffsetDateTime EPOCH = OffsetDateTime.parse("1970-01-01T00:00:00Z");

  private final LakeCluster cluster = LakeCluster.shared();
  private Python python;

  @BeforeEach
  void findPython() {
    python = Python.orSkip();
  }

  @Test
  void readsTheRowsOfTheLog() {
    TablePath path = TablePath.parse("pyiceberg.read");
    try (Connection connection = cluster.connect();
        Lake lake = cluster.lake()) {
      LakeTables.createPlain(connection, path, 3);
      LakeTables.appendPlain(connection, path, 0, 1000);
      OnceInLake.settle(lake, connection, path);
      LakeTables.appendPlain(connection, path, 1000, 1500);
      OnceInLake.settle(lake, connection, path);
      Map<Integer, List<List<String>>> rows = lake.table(path).rows();

      Python.Result result =
          python.runScript(TIMEOUT, READ, cluster.icebergUri(), path.database(), path.table());

      assertThat(result.exitCode()).as("%s", result.output()).isZero();
      assertThat(result.output().strip().lines().reduce((a, b) -> b))
          .hasValue("read 1500 %08x".formatted(digest(rows)));
    }
  }

  /** What the script makes of the same rows: id, text, bucket, offset, time. */
  private static long digest(Map<Integer, List<List<String>>> rows) {
    CRC32 crc = new CRC32();
    new TreeMap<>(rows)
        .forEach(
            (bucket, values) -> {
              for (int offset = 0; offset < values.size(); offset++) {
                List<String> row = values.get(offset);
                crc.update(number(Long.parseLong(row.get(0))));
                crc.update(row.get(1).getBytes(StandardCharsets.UTF_8));
                crc.update(number(bucket));
                crc.update(number(offset));
                OffsetDateTime time = OffsetDateTime.parse(row.get(2));
                crc.update(number(ChronoUnit.MICROS.between(EPOCH, time)));
              }
            });
    return crc.getValue();
  }

  private static byte[] number(long value) {
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  /** Commits that lose are told so, and those that are reported are there. */
  @Test
  void twoWritersAppendToOneTable() {
    List<CompletableFuture<Python.Result>> writers =
        List.of(1, 2).stream()
            .map(writer -> CompletableFuture.supplyAsync(() -> append(writer)))
            .toList();
    for (CompletableFuture<Python.Result> writer : writers) {
      Python.Result result = writer.join();
      assertThat(result.exitCode()).as("%s", result.output()).isZero();
      assertThat(result.output()).as("%s", result.output()).contains(COMMITS + " ");
    }
    try (Lake lake = cluster.lake()) {
      Table table = lake.catalog().loadTable(TableIdentifier.of("pyiceberg_writers", "shared"));
      Set<Long> parents = new HashSet<>();
      int snapshots = 0;
      for (Snapshot snapshot : table.snapshots()) {
        snapshots++;
        assertThat(parents.add(snapshot.parentId())).as("parents are a chain").isTrue();
      }
      assertThat(snapshots).isEqualTo(2 * COMMITS);
      assertThat(table.currentSnapshot().summary())
          .containsEntry("total-records", Integer.toString(2 * COMMITS * ROWS));
    }
  }

  private Python.Result append(int writer) {
    return python.runScript(
        TIMEOUT,
        APPEND,
        cluster.icebergUri(),
        "pyiceberg_writers",
        "shared",
        Integer.toString(writer),
        Integer.toString(COMMITS),
        Integer.toString(ROWS));
  }
}
