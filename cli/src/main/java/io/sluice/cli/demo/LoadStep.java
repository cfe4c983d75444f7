package io.sluice.cli.demo;

import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Progress;
import io.sluice.client.AppendWriter;
import java.io.IOException;
import java.sql.SQLException;

/** Loads the flights file into the table and shows how fast that went and what it takes on disk. */
final class LoadStep {
  private static final int UPDATE_ROWS = 1_000;
  private static final int FIXED_BYTES_PER_ROW = 3 * Long.BYTES;

  private final DemoOutput output;
  private final FlightsFile file;
  private final FlightsTable flights;
  private long loaded;
  private long rawBytes;

  LoadStep(DemoOutput output, FlightsFile file, FlightsTable flights) {
    this.output = output;
    this.file = file;
    this.flights = flights;
  }

  void run() throws SQLException, IOException {
    output.step("Load " + file.path().getFileName());
    output.note("US flights of 2001, Bureau of Transportation Statistics, public domain");
    long rows = file.rows();
    long start = System.nanoTime();
    load(rows);
    long nanos = System.nanoTime() - start;
    output.fact(
        "loaded",
        Figures.count(rows) + " rows in " + Figures.duration(nanos),
        Figures.rate(rows, nanos) + " rows/s, through DuckDB and the Java client");
    long stored = flights.bytesOnDisk();
    output.fact("bytes on disk", Figures.bytes(stored), "columnar batches, zstd");
    output.fact("the Parquet file", Figures.bytes(file.bytes()), "the same rows, sealed for good");
    output.fact(
        "the plain values",
        Figures.bytes(rawBytes),
        "8 bytes a number, 1 byte a letter; on disk it is " + Figures.percent(stored, rawBytes));
  }

  private void load(long rows) throws SQLException {
    Progress progress = output.progress("rows", rows);
    try (AppendWriter writer = flights.table().appendWriter()) {
      file.read(
          rows,
          (date, delay, distance, origin, destination) -> {
            writer
                .row()
                .setTimestamp(0, FlightsTable.date(date))
                .setLong(1, delay)
                .setLong(2, distance)
                .setString(3, origin)
                .setString(4, destination)
                .append();
            rawBytes += FIXED_BYTES_PER_ROW + origin.length() + destination.length();
            if (++loaded % UPDATE_ROWS == 0) {
              progress.update(loaded);
            }
          });
      writer.flush();
    } finally {
      progress.finish();
    }
  }
}
