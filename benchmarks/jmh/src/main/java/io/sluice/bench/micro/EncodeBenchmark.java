package io.sluice.bench.micro;

import io.sluice.format.batch.EncodedBatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Encoding a batch of wide rows: nanoseconds for one row. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(WideBatch.ROWS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before anything else
public class EncodeBenchmark {
  @Param({"NONE", "LZ4", "ZSTD"})
  public String codec;

  private WideBatch batch;

  @Setup(Level.Trial)
  public void open() {
    batch = new WideBatch(codec);
  }

  @TearDown(Level.Trial)
  public void close() {
    batch.close();
  }

  /** Statistics, compression, checksums and message of a filled batch. */
  @Benchmark
  public int encode() {
    try (EncodedBatch encoded = batch.encode()) {
      return encoded.wireBytes();
    }
  }
}
