package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.client.fake.PutFaults.Kind;
import io.sluice.common.ErrorCode;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.row.GenericRow;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches without compression, which are sent from the memory that their rows were written to. */
@Timeout(60)
class SharedMemoryTest {
  private static final int KEYS = 4_000;
  private static final int ROUNDS = 6;

  private static final TableSchema LOG =
      new TableSchema(
          1,
          List.of(
              Column.of(1, "id", new DataType.IntegerType(64), false),
              Column.of(2, "text", new DataType.StringType(), true)),
          List.of());

  private static ClientConfig plain(FakeCluster cluster) {
    return cluster.config().withCodec(BatchCodec.NONE).withBatchBytes(200_000);
  }

  @Test
  void isNotUsedAgainBeforeItsRowsAreStored() {
    for (Fault fault :
        List.of(
            Fault.NONE,
            Fault.refuse(ErrorCode.BACKPRESSURE),
            Fault.of(Kind.DROP),
            Fault.of(Kind.STORE_AND_DROP))) {
      try (FakeCluster cluster = new FakeCluster(UpsertWriterTest.SCHEMA, 2, 1, "id");
          Connection connection = Connection.open(plain(cluster));
          UpsertWriter writer = connection.table("demo.t").upsertWriter()) {
        cluster.setFaults((tablet, number, put) -> number % 5 == 3 ? fault : Fault.NONE);
        for (int i = 0; i < KEYS * ROUNDS; i++) {
          writer
              .row()
              .setLong(0, i % KEYS)
              .setString(1, "some longer text of update " + i)
              .setInt(2, i)
              .append();
        }
        writer.flush();
        assertThat(cluster.allRows()).hasSize(KEYS);
        for (GenericRow row : cluster.allRows()) {
          int update = KEYS * (ROUNDS - 1) + (int) row.getLong(0);
          assertThat(row.getInt(2)).isEqualTo(update);
          assertThat(String.valueOf(row.value(1)))
              .isEqualTo("some longer text of update " + update);
        }
      }
    }
  }

  private static void fill(VectorSchemaRoot root, int from, int rows) {
    root.clear();
    BigIntVector ids = (BigIntVector) root.getVector(0);
    VarCharVector texts = (VarCharVector) root.getVector(1);
    for (int i = 0; i < rows; i++) {
      ids.setSafe(i, from + i);
      texts.setSafe(i, new Text("text " + (from + i)));
    }
    root.setRowCount(rows);
  }

  @Test
  void ofTheCallerIsSentWhenTheRootIsClearedOrClosedAtOnce() {
    int rows = 20_000;
    try (BufferAllocator allocator = new RootAllocator();
        FakeCluster cluster = new FakeCluster(LOG, 3, 1);
        Connection connection = Connection.open(plain(cluster));
        AppendWriter writer = connection.table("demo.t").appendWriter()) {
      cluster.setFaults(
          (tablet, number, put) ->
              number % 4 == 2 ? Fault.refuse(ErrorCode.BACKPRESSURE) : Fault.NONE);
      VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(LOG), allocator);
      for (int batch = 0; batch < 5; batch++) {
        fill(root, batch * rows, rows);
        writer.share(root);
      }
      root.close();
      writer.flush();
      assertThat(cluster.allValues().stream().sorted().toList())
          .isEqualTo(LongStream.range(0, 5L * rows).boxed().toList());
      assertThat(allocator.getAllocatedMemory()).isZero();
    }
  }

  @Test
  void moreThanTheTransportTakesAtOnceIsStoredInOrder() {
    int rows = 100;
    int batches = 24;
    Text large = new Text("x".repeat(10_000));
    try (BufferAllocator allocator = new RootAllocator();
        FakeCluster cluster = new FakeCluster(LOG, 1, 1);
        Connection connection = Connection.open(plain(cluster).withBatchBytes(1 << 20));
        AppendWriter writer = connection.table("demo.t").appendWriter();
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(LOG), allocator)) {
      for (int batch = 0; batch < batches; batch++) {
        fill(root, batch * rows, rows);
        for (int i = 0; i < rows; i++) {
          ((VarCharVector) root.getVector(1)).setSafe(i, large);
        }
        writer.share(root);
        if (batch % 8 == 7) {
          // The next ones find a loop that has nothing to do.
          writer.flush();
        }
      }
      assertThat(cluster.allValues())
          .isEqualTo(LongStream.range(0, (long) batches * rows).boxed().toList());
    }
  }
}
