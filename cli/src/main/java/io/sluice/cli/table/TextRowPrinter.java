package io.sluice.cli.table;

import io.sluice.cli.terminal.Figures;
import io.sluice.cli.terminal.Terminal;
import io.sluice.cli.terminal.TextTable;
import io.sluice.client.ScanBatch;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * Aligned text. Column widths are those of the block at hand: rows are printed as they come, so a
 * later block may be wider.
 */
final class TextRowPrinter implements RowPrinter {
  private static final int BLOCK_ROWS = 1_000;

  private final Terminal terminal;
  private final RowPlaces places;
  private boolean titlesPrinted;

  TextRowPrinter(Terminal terminal, RowPlaces places) {
    this.terminal = terminal;
    this.places = places;
  }

  @Override
  public void print(ScanBatch batch, int rows) {
    for (int start = 0; start < rows; start += BLOCK_ROWS) {
      printBlock(batch, start, Math.min(rows, start + BLOCK_ROWS));
    }
  }

  private void printBlock(ScanBatch batch, int start, int end) {
    List<FieldVector> vectors = places.columns(batch);
    TextTable table = emptyTable(vectors);
    for (int i = start; i < end; i++) {
      List<String> cells = new ArrayList<>();
      places.of(batch, i).values().forEach(place -> cells.add(place.toString()));
      for (FieldVector vector : vectors) {
        cells.add(CellText.text(vector, i));
      }
      table.row(cells);
    }
    List<String> lines = table.lines();
    for (int i = titlesPrinted ? 1 : 0; i < lines.size(); i++) {
      terminal.line(i == 0 ? terminal.bold(lines.get(i)) : lines.get(i));
    }
    titlesPrinted = true;
  }

  private TextTable emptyTable(List<FieldVector> vectors) {
    TextTable table = new TextTable();
    for (String name : places.names()) {
      if (name.equals(RowPlaces.PARTITION)) {
        table.left(name);
      } else {
        table.right(name);
      }
    }
    for (FieldVector vector : vectors) {
      if (isNumber(vector.getField().getType())) {
        table.right(vector.getName());
      } else {
        table.left(vector.getName());
      }
    }
    return table;
  }

  private static boolean isNumber(ArrowType type) {
    return type instanceof ArrowType.Int
        || type instanceof ArrowType.FloatingPoint
        || type instanceof ArrowType.Decimal;
  }

  @Override
  public void finish(long rows) {
    terminal.line(terminal.dim(Figures.count(rows) + (rows == 1 ? " row" : " rows")));
  }
}
