package io.sluice.bench.micro;

import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.filter.BoundFilter;
import io.sluice.format.filter.Filter;
import io.sluice.format.filter.Selection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.FieldVector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Filters on one batch of wide rows: nanoseconds a batch. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before anything else
public class FilterBenchmark {
  private final BatchStatistics statistics = new BatchStatistics();
  private final Selection selection = new Selection();

  @Param({"id > 500", "country LIKE 'a%' AND amount > 1000000", "a = 1 OR device IN ('x', 'y')"})
  public String text;

  private WideBatch batch;
  private EncodedBatch encoded;
  private BoundFilter filter;
  private List<FieldVector> vectors;

  @Setup(Level.Trial)
  public void open() {
    batch = new WideBatch("NONE");
    encoded = batch.encode();
    filter = Filter.parse(text).bind(batch.schema());
    vectors = new ArrayList<>();
    for (int id : filter.columnIds()) {
      vectors.add(batch.root().getVector(id - 1));
    }
  }

  @TearDown(Level.Trial)
  public void close() {
    encoded.close();
    batch.close();
  }

  @Benchmark
  public BoundFilter parseAndBind() {
    return Filter.parse(text).bind(batch.schema());
  }

  /** Whether the batch can be skipped by its statistics. */
  @Benchmark
  public boolean skip() {
    return filter.mayMatch(statistics.read(encoded.statistics()), WideBatch.ROWS, batch.schema());
  }

  /** Every row looked at. */
  @Benchmark
  public int select() {
    filter.select(vectors, WideBatch.ROWS, selection);
    return selection.count();
  }
}
