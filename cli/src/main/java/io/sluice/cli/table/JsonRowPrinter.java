package io.sluice.cli.table;

import io.sluice.cli.measure.JsonText;
import io.sluice.cli.terminal.Terminal;
import io.sluice.client.ScanBatch;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/** One JSON object a row. */
final class JsonRowPrinter implements RowPrinter {
  private final Terminal terminal;
  private final RowPlaces places;

  JsonRowPrinter(Terminal terminal, RowPlaces places) {
    this.terminal = terminal;
    this.places = places;
  }

  @Override
  public void print(ScanBatch batch, int rows) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < rows; i++) {
      Map<String, @Nullable Object> row = new LinkedHashMap<>();
      places.of(batch, i).forEach(row::put);
      for (FieldVector vector : places.columns(batch)) {
        row.put(vector.getName(), CellText.jsonValue(vector, i));
      }
      text.append(JsonText.compact(row)).append('\n');
    }
    terminal.text(text.toString());
  }

  @Override
  public void finish(long rows) {}
}
