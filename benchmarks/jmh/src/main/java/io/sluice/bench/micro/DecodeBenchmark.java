package io.sluice.bench.micro;

import io.sluice.format.batch.BatchValidator;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchDecoder;
import io.sluice.format.schema.ArrowSchemas;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.VectorSchemaRoot;
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

/** What a server checks and a client decodes: nanoseconds for one wide row. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(WideBatch.ROWS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before anything else
public class DecodeBenchmark {
  @Param({"NONE", "ZSTD"})
  public String codec;

  private final BatchValidator validator = new BatchValidator();
  private WideBatch batch;
  private EncodedBatch encoded;
  private LogBatchDecoder decoder;
  private VectorSchemaRoot target;

  @Setup(Level.Trial)
  public void open() {
    batch = new WideBatch(codec);
    encoded = batch.encode();
    decoder = new LogBatchDecoder(batch.allocator());
    target = VectorSchemaRoot.create(ArrowSchemas.toArrow(batch.schema()), batch.allocator());
  }

  @TearDown(Level.Trial)
  public void close() {
    target.close();
    decoder.close();
    encoded.close();
    batch.close();
  }

  @Benchmark
  public void validate() {
    validator.validate(
        batch.schema(),
        encoded.header(),
        encoded.changeTypes(),
        encoded.statistics(),
        encoded.metadata(),
        encoded.checksums(),
        encoded.bodyBytes());
  }

  @Benchmark
  public int decode() {
    decoder.decode(target, encoded.metadata(), encoded.body());
    return target.getRowCount();
  }
}
