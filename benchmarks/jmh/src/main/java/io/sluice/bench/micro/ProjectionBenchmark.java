package io.sluice.bench.micro;

import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.projection.MetadataColumns;
import io.sluice.format.projection.ProjectedBatch;
import io.sluice.format.projection.ProjectionPlan;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Planning what a server reads and sends of one stored batch of wide rows: nanoseconds a batch. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before anything else
public class ProjectionBenchmark {
  private WideBatch batch;
  private EncodedBatch encoded;
  private ProjectionPlan twoColumns;
  private ProjectionPlan allColumns;

  @Setup(Level.Trial)
  public void open() {
    batch = new WideBatch("NONE");
    encoded = batch.encode();
    twoColumns =
        ProjectionPlan.of(batch.schema(), batch.schema(), List.of(5, 6), MetadataColumns.NONE);
    allColumns = ProjectionPlan.of(batch.schema(), batch.schema(), MetadataColumns.NONE);
  }

  @TearDown(Level.Trial)
  public void close() {
    encoded.close();
    batch.close();
  }

  /** Once for each scan and stored schema. */
  @Benchmark
  public ProjectionPlan makePlan() {
    return ProjectionPlan.of(batch.schema(), batch.schema(), List.of(5, 6), MetadataColumns.NONE);
  }

  @Benchmark
  public ProjectedBatch twoOfTwenty() {
    return project(twoColumns);
  }

  @Benchmark
  public ProjectedBatch all() {
    return project(allColumns);
  }

  private ProjectedBatch project(ProjectionPlan plan) {
    return plan.project(
        encoded.header(), encoded.changeTypes(), encoded.metadata(), encoded.checksums());
  }
}
