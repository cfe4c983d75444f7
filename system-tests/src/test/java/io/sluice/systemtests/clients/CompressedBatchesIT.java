package io.sluice.systemtests.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.Connection;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.systemtests.local.LocalCluster;
import java.util.List;
import java.util.zip.CRC32;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What was written with a codec can be read again, by our client and by Arrow's own: buffers that
 * shrink, buffers that cannot, and sizes around 64 KiB and 1 MiB.
 */
final class CompressedBatchesIT {
  private final LocalCluster cluster = LocalCluster.shared();

  static List<CompressionSettings> settings() {
    return CompressibleTable.SETTINGS;
  }

  @ParameterizedTest
  @MethodSource("settings")
  void everyRowComesBackAsWritten(CompressionSettings settings) throws Exception {
    try (Connection connection = cluster.connect();
        BufferAllocator allocator = new RootAllocator()) {
      CompressibleTable table = CompressibleTable.create(connection, "java", settings);
      table.write(connection, CompressibleTable.MANY_BATCHES);

      assertThat(Scans.count(connection.table(table.path()).scan())).isEqualTo(table.rows());
      CRC32 ours = new CRC32();
      Scans.read(connection.table(table.path()).scan(), batch -> addAll(ours, batch.vectors()));
      assertThat(ours.getValue()).isEqualTo(table.digest());

      CRC32 stock = new CRC32();
      Scans.readStock(
          allocator,
          cluster.flightPort(1),
          "{\"scan\":{\"database\":\"%s\",\"table\":\"%s\"}}"
              .formatted(CompressibleTable.DATABASE, table.name()),
          root -> addAll(stock, root));
      assertThat(stock.getValue()).isEqualTo(table.digest());
    }
  }

  private static void addAll(CRC32 digest, VectorSchemaRoot root) {
    BigIntVector ids = (BigIntVector) root.getVector("id");
    VarBinaryVector bytes = (VarBinaryVector) root.getVector("rnd");
    VarCharVector letters = (VarCharVector) root.getVector("txt");
    for (int row = 0; row < root.getRowCount(); row++) {
      CompressibleTable.addRow(digest, ids.get(row), bytes.get(row), letters.get(row));
    }
  }
}
