package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.PutFaults.Fault;
import io.sluice.common.ErrorCode;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.PutMetadata;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Partial updates of a few bytes in batches of 2 MiB: far more rows than the server can change with
 * one put, as each writes its whole row.
 */
@Timeout(60)
class LargePutsTest {
  private static final TableSchema SCHEMA = UpsertWriterTest.SCHEMA;
  private static final int KEYS = 5_000;
  private static final int UPDATES = 60_000;

  /** What the server takes: a put of more rows would make too many changes. */
  private static final int MOST_ROWS = 700;

  private final AtomicInteger refused = new AtomicInteger();

  private static LogBatchHeader header(PutMetadata put) {
    return LogBatchHeader.wrap(ByteBuffer.wrap(put.getHeader().toByteArray()));
  }

  private FakeCluster cluster() {
    FakeCluster cluster = new FakeCluster(SCHEMA, 2, 1, "id");
    cluster.setFaults(
        (tablet, number, put) -> {
          if (header(put).recordCount() <= MOST_ROWS) {
            return Fault.NONE;
          }
          refused.incrementAndGet();
          return Fault.refuse(ErrorCode.PUT_TOO_LARGE);
        });
    return cluster;
  }

  private static void assertLastUpdates(FakeCluster cluster) {
    assertThat(cluster.allRows()).hasSize(KEYS);
    for (GenericRow row : cluster.allRows()) {
      long id = row.getLong(0);
      assertThat(row.getInt(2)).as("row " + id).isEqualTo((int) (UPDATES - KEYS + id));
    }
  }

  @Test
  void areHalvedUntilTheyFitAndLaterOnesAreMadeSmaller() {
    try (FakeCluster cluster = cluster();
        Connection connection =
            Connection.open(cluster.config().withBatchBytes(2 << 20).withBufferBytes(4 << 20));
        UpsertWriter writer =
            connection
                .table("demo.t")
                .upsertWriter(WriterOptions.defaults().partial("id", "number"))) {
      for (int i = 0; i < UPDATES; i++) {
        writer.row().setLong(0, i % KEYS).setInt(1, i).append();
      }
      writer.flush();
      assertLastUpdates(cluster);
      // Once what was on its way at the first refusals is through, little is refused any more.
      int before = refused.get();
      for (int i = 0; i < UPDATES; i++) {
        writer.row().setLong(0, i % KEYS).setInt(1, i).append();
      }
      writer.flush();
      assertLastUpdates(cluster);
      assertThat(refused.get() - before).isLessThan(UPDATES / MOST_ROWS / 2);
    }
  }

  @Test
  void ofANamedWriterAreStoredOnceEach() {
    try (FakeCluster cluster = cluster();
        Connection connection = Connection.open(cluster.config().withBatchBytes(2 << 20))) {
      WriterOptions options = WriterOptions.named("loader").partial("id", "number");
      try (UpsertWriter writer = connection.table("demo.t").upsertWriter(options)) {
        for (int i = 0; i < UPDATES; i++) {
          writer.upsert(i, Row.of((long) i % KEYS, i));
        }
        writer.flush();
        assertThat(writer.committedSequence()).isEqualTo(UPDATES - 1);
      }
      assertLastUpdates(cluster);
      long stored = 0;
      for (int bucket = 0; bucket < 2; bucket++) {
        long last = -1;
        for (var batch : cluster.bucket(bucket).log()) {
          assertThat(batch.header().baseSequence()).isGreaterThan(last);
          last = batch.header().lastSequence();
          stored += batch.rows();
        }
      }
      assertThat(stored).isEqualTo(UPDATES);
    }
  }
}
