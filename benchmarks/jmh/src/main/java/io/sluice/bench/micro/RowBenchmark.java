package io.sluice.bench.micro;

import io.sluice.format.row.CompactRow;
import io.sluice.format.row.KeyEncoder;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.row.VectorRow;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Rows into vectors and out of them, keys, stored rows: nanoseconds for one wide row. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(WideBatch.ROWS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before anything else
public class RowBenchmark {
  private static final int TEXT = 4;

  private WideBatch batch;
  private Row[] rows;
  private KeyEncoder keys;
  private RowCodec codec;
  private byte[][] encodedKeys;
  private byte[][] encodedRows;

  @Setup(Level.Trial)
  public void open() {
    batch = new WideBatch("NONE");
    rows = batch.rows();
    keys = KeyEncoder.of(batch.schema());
    codec = RowCodec.of(batch.schema());
    encodedKeys = new byte[rows.length][];
    encodedRows = new byte[rows.length][];
    for (int i = 0; i < rows.length; i++) {
      encodedKeys[i] = keys.encode(rows[i]);
      encodedRows[i] = codec.encode(rows[i], i);
    }
  }

  @TearDown(Level.Trial)
  public void close() {
    batch.close();
  }

  /** Into vectors, by the typed setters. */
  @Benchmark
  public int writeRows() {
    return batch.fill().getRowCount();
  }

  @Benchmark
  public long encodeKeys() {
    long bytes = 0;
    for (Row row : rows) {
      bytes += keys.encode(row).length;
    }
    return bytes;
  }

  @Benchmark
  public long decodeKeys() {
    long sum = 0;
    for (byte[] key : encodedKeys) {
      sum += keys.decode(key).getLong(0);
    }
    return sum;
  }

  @Benchmark
  public long encodeRows() {
    long bytes = 0;
    for (Row row : rows) {
      bytes += codec.encode(row, 1).length;
    }
    return bytes;
  }

  /** Decoded, and two of its columns read. */
  @Benchmark
  public long decodeRows() {
    long sum = 0;
    for (byte[] row : encodedRows) {
      CompactRow decoded = codec.decode(row);
      sum += decoded.getLong(0) + decoded.getString(TEXT).length();
    }
    return sum;
  }

  /** Two columns of rows in vectors. */
  @Benchmark
  public long readVectorRows() {
    VectorRow row = new VectorRow(batch.root());
    long sum = 0;
    for (int i = 0; i < WideBatch.ROWS; i++) {
      row.at(i);
      sum += row.getLong(0) + row.getString(TEXT).length();
    }
    return sum;
  }
}
