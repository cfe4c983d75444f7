package io.sluice.tiering.job;

import io.sluice.client.LogScanner;
import io.sluice.client.ScanBatch;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import io.sluice.format.batch.ChangeType;
import io.sluice.format.row.GenericRow;
import io.sluice.format.row.Row;
import io.sluice.format.schema.TableSchema;
import io.sluice.tiering.read.BucketLog;
import io.sluice.tiering.read.LogSource;
import io.sluice.tiering.read.TableLog;
import io.sluice.tiering.write.LakeTables;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * Logs in memory: every table has one BIGINT column, whose value is 1000 × bucket + offset. A scan
 * gives out one batch at a time, the buckets in turn.
 */
final class FakeLog implements LogSource {
  static final TableSchema SCHEMA = LakeTables.schema("BIGINT");

  /** End of each bucket. */
  final Map<Integer, BucketLog> buckets = new TreeMap<>();

  /** Rows of a batch. */
  int batchRows = 10;

  /** Runs before each poll, with the number of polls before it. */
  volatile LongConsumer beforePoll = polls -> {};

  /** Offsets that a batch is late by, to make a gap. */
  volatile long gap;

  @Nullable SluiceException refusal;
  private final BufferAllocator allocator;

  FakeLog(BufferAllocator allocator) {
    this.allocator = allocator;
  }

  FakeLog bucket(int bucket, long start, long stable) {
    buckets.put(bucket, new BucketLog(start, stable, 100));
    return this;
  }

  @Override
  public TableLog open(TablePath path, long tableId) {
    if (refusal != null) {
      throw refusal;
    }
    return new TableLog() {
      @Override
      public TableSchema schema() {
        return SCHEMA;
      }

      @Override
      public Map<Integer, BucketLog> buckets() {
        return buckets;
      }

      @Override
      public LogScanner scan(Map<Integer, Long> starts, Map<Integer, Long> ends) {
        return new Scanner(starts, ends);
      }
    };
  }

  private final class Scanner implements LogScanner {
    private final Queue<long[]> batches = new ArrayDeque<>();
    private long polls;

    Scanner(Map<Integer, Long> starts, Map<Integer, Long> ends) {
      Map<Integer, Long> at = new TreeMap<>(starts);
      boolean more = true;
      while (more) {
        more = false;
        for (Map.Entry<Integer, Long> entry : at.entrySet()) {
          long end = Math.min(ends.get(entry.getKey()), entry.getValue() + batchRows);
          if (end > entry.getValue()) {
            batches.add(new long[] {entry.getKey(), entry.getValue(), end});
            entry.setValue(end);
            more = true;
          }
        }
      }
    }

    @Override
    public List<ScanBatch> poll(Duration timeout) {
      beforePoll.accept(polls++);
      long[] next = batches.poll();
      return next == null
          ? List.of()
          : List.of(new Batch((int) next[0], next[1] + gap, next[2] + gap));
    }

    @Override
    public boolean finished() {
      return batches.isEmpty();
    }

    @Override
    public long bytesReceived() {
      return 0;
    }

    @Override
    public Map<Integer, Long> positions() {
      return Map.of();
    }

    @Override
    public Map<TableBucket, Long> bucketPositions() {
      return Map.of();
    }

    @Override
    public void close() {}
  }

  private final class Batch implements ScanBatch {
    private final int bucket;
    private final long start;
    private final long end;
    private final VectorSchemaRoot root;

    Batch(int bucket, long start, long end) {
      this.bucket = bucket;
      this.start = start;
      this.end = end;
      List<Row> rows = new ArrayList<>();
      for (long offset = start; offset < end; offset++) {
        rows.add(GenericRow.of(1000L * bucket + offset));
      }
      this.root = LakeTables.batch(allocator, SCHEMA, start, rows);
    }

    @Override
    public int bucket() {
      return bucket;
    }

    @Override
    public TableBucket tableBucket() {
      return TableBucket.of(1, bucket);
    }

    @Override
    public long baseOffset() {
      return start;
    }

    @Override
    public long nextOffset() {
      return end;
    }

    @Override
    public int rowCount() {
      return root.getRowCount();
    }

    @Override
    public VectorSchemaRoot vectors() {
      return root;
    }

    @Override
    public Iterable<Row> rows() {
      throw new UnsupportedOperationException("The worker reads vectors");
    }

    @Override
    public List<ChangeType> changeTypes() {
      throw new UnsupportedOperationException("Log tables have no changes");
    }

    @Override
    public long appendTimeMs() {
      return LakeTables.STORED_MS;
    }

    @Override
    public void close() {
      root.close();
    }
  }
}
