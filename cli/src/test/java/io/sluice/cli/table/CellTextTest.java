package io.sluice.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.measure.JsonText;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.Text;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CellTextTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void closeAllocator() {
    allocator.close();
  }

  @Test
  void timestampsAreWallClocksOrInstants() {
    try (TimeStampMicroVector wall = new TimeStampMicroVector("t", allocator);
        TimeStampMicroTZVector instant = new TimeStampMicroTZVector("t", allocator, "UTC")) {
      wall.setSafe(0, 978_307_800_000_001L);
      instant.setSafe(0, -1L);

      assertThat(CellText.text(wall, 0)).isEqualTo("2001-01-01 00:10:00.000001");
      assertThat(CellText.text(instant, 0)).isEqualTo("1969-12-31T23:59:59.999999Z");
    }
  }

  @Test
  void nullsAndNumbersStayWhatTheyAreInJson() {
    try (BigIntVector numbers = new BigIntVector("n", allocator)) {
      numbers.setSafe(0, 7);
      numbers.setNull(1);
      numbers.setValueCount(2);

      assertThat(CellText.jsonValue(numbers, 0)).isEqualTo(7L);
      assertThat(CellText.jsonValue(numbers, 1)).isNull();
      assertThat(CellText.text(numbers, 1)).isEqualTo("NULL");
    }
  }

  @Test
  void textStaysOnOneLine() {
    try (VarCharVector texts = new VarCharVector("s", allocator)) {
      texts.setSafe(0, new Text("a\nb\tç"));

      assertThat(CellText.text(texts, 0)).isEqualTo("a\\nb\\tç");
      assertThat(CellText.jsonValue(texts, 0)).isEqualTo("a\nb\tç");
    }
  }

  @Test
  void datesTimesDecimalsAndBytesAreReadable() {
    try (DateDayVector dates = new DateDayVector("d", allocator);
        TimeMilliVector times = new TimeMilliVector("t", allocator);
        DecimalVector decimals = new DecimalVector("n", allocator, 10, 2);
        VarBinaryVector bytes = new VarBinaryVector("b", allocator)) {
      dates.setSafe(0, 11_323);
      times.setSafe(0, 3_723_004);
      decimals.setSafe(0, new BigDecimal("-1.50"));
      bytes.setSafe(0, new byte[] {0, (byte) 0xff});

      assertThat(CellText.text(dates, 0)).isEqualTo("2001-01-01");
      assertThat(CellText.text(times, 0)).isEqualTo("01:02:03.004");
      assertThat(CellText.text(decimals, 0)).isEqualTo("-1.50");
      assertThat(CellText.jsonValue(decimals, 0)).isEqualTo("-1.50");
      assertThat(CellText.text(bytes, 0)).isEqualTo("00ff");
    }
  }

  @Test
  void nestedValuesAreReadable() {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                Column.of(
                    1,
                    "place",
                    DataTypeParser.parse(
                        "ROW<city STRING, tags ARRAY<DATE>, hits MAP<STRING, ROW<n INT>>>"),
                    true)),
            List.of());
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, 3);
      writers.reset();
      writers.write(
          Row.of(
              Row.of(
                  "Oslo", Arrays.asList(LocalDate.of(2024, 1, 31), null), Map.of("a", Row.of(7)))));
      writers.write(Row.of(Row.of(null, List.of(), Map.of())));
      writers.write(Row.of((Object) null));
      FieldVector vector = writers.finish().getVector(0);

      assertThat(CellText.text(vector, 0))
          .isEqualTo("{city: Oslo, tags: [2024-01-31, NULL], hits: {a -> {n: 7}}}");
      assertThat(CellText.text(vector, 1)).isEqualTo("{city: NULL, tags: [], hits: {}}");
      assertThat(CellText.text(vector, 2)).isEqualTo("NULL");
      assertThat(JsonText.compact(CellText.jsonValue(vector, 0)))
          .isEqualTo(
              "{\"city\":\"Oslo\",\"tags\":[\"2024-01-31\",null],\"hits\":[[\"a\",{\"n\":7}]]}");
    }
  }
}
