package io.sluice.lake.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.sluice.lake.commit.TableMeasures;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The measures of the lake tables as gauges, one row a table; a dropped table's rows go. */
final class LakeMeters {
  private static final double MS_PER_SECOND = 1000;

  private final MultiGauge recordLag;
  private final MultiGauge files;
  private final MultiGauge snapshots;
  private final MultiGauge fileSize;
  private final MultiGauge recordCount;
  private final MultiGauge orphanFiles;

  LakeMeters(MeterRegistry registry) {
    this.recordLag =
        MultiGauge.builder("sluice.lake.recordLag")
            .description("Age of the oldest row that is not in the lake")
            .baseUnit("seconds")
            .register(registry);
    this.files = gauge(registry, "sluice.lake.lakeFiles", "Data files of the current snapshot");
    this.snapshots = gauge(registry, "sluice.lake.lakeSnapshots", "Snapshots that are kept");
    this.fileSize =
        MultiGauge.builder("sluice.lake.fileSize")
            .description("Bytes of the data files of the current snapshot")
            .baseUnit("bytes")
            .register(registry);
    this.recordCount = gauge(registry, "sluice.lake.recordCount", "Rows of the current snapshot");
    this.orphanFiles =
        gauge(registry, "sluice.lake.orphanFiles", "Files older than a day that no snapshot names");
  }

  private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
    return MultiGauge.builder(name).description(description).register(registry);
  }

  void update(List<TableMeasures> tables) {
    register(recordLag, tables, LakeMeters::lagSeconds);
    register(files, tables, TableMeasures::files);
    register(snapshots, tables, TableMeasures::snapshots);
    register(fileSize, tables, TableMeasures::fileBytes);
    register(recordCount, tables, TableMeasures::records);
    register(orphanFiles, tables, TableMeasures::orphanFiles);
  }

  private static double lagSeconds(TableMeasures table) {
    Long lag = table.recordLagMs();
    return lag == null ? Double.NaN : lag / MS_PER_SECOND;
  }

  private static void register(
      MultiGauge gauge, List<TableMeasures> tables, ToDoubleFunction<TableMeasures> value) {
    List<Row<?>> rows =
        tables.stream()
            .<Row<?>>map(
                table ->
                    Row.of(
                        Tags.of("database", table.database(), "table", table.table()),
                        table,
                        value))
            .toList();
    gauge.register(rows, true);
  }
}
