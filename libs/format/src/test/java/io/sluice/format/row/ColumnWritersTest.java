package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.AbstractList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ColumnWritersTest {
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void leavesNoMemory() {
    allocator.close();
  }

  private void with(TableSchema schema, Consumer<ColumnWriters> body) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator)) {
      body.accept(ColumnWriters.of(schema, root, 2));
    }
  }

  private void refuses(String type, String message, Consumer<ColumnWriters> setter) {
    with(
        TestValues.schema(true, type),
        writers ->
            assertThatThrownBy(() -> setter.accept(writers))
                .isInstanceOfSatisfying(
                    SluiceException.class,
                    e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
                .hasMessageContaining("'c0'")
                .hasMessageContaining(type)
                .hasMessageContaining(message));
  }

  @Test
  void writesTypedValuesOfARow() {
    TableSchema schema =
        TestValues.schema(
            true, "INT", "STRING", "DECIMAL(6,2)", "TIMESTAMP_LTZ(3)", "BOOLEAN", "DATE");
    with(
        schema,
        writers -> {
          writers.setInt(0, 7);
          writers.setString(1, "größer");
          writers.setDecimal(2, new BigDecimal("1.5"));
          writers.setInstant(3, Instant.parse("2024-01-01T00:00:00.123Z"));
          writers.setBoolean(4, true);
          writers.endRow();
          VectorRow row = new VectorRow(writers.finish()).at(0);
          assertThat(row.getInt(0)).isEqualTo(7);
          assertThat(row.getLong(0)).isEqualTo(7);
          assertThat(row.getString(1)).isEqualTo("größer");
          assertThat(row.getDecimal(2)).isEqualTo(new BigDecimal("1.50"));
          assertThat(row.getInstant(3)).isEqualTo("2024-01-01T00:00:00.123Z");
          assertThat(row.getBoolean(4)).isTrue();
          assertThat(row.isNull(5)).as("a column without a value").isTrue();
        });
  }

  @Test
  void aValueCanBeReplacedAndARowAbortedBeforeItEnds() {
    with(
        TestValues.schema(true, "STRING", "BOOLEAN", "INT"),
        writers -> {
          writers.setString(0, "first");
          writers.setString(0, "x");
          writers.setBoolean(1, true);
          writers.setBoolean(1, false);
          writers.endRow();
          writers.setString(0, "dropped");
          writers.setInt(2, 1);
          writers.abortRow();
          writers.setInt(2, 2);
          writers.endRow();
          VectorRow row = new VectorRow(writers.finish());
          assertThat(row.at(0).copy()).isEqualTo(Row.of("x", false, null));
          assertThat(row.at(1).copy()).isEqualTo(Row.of(null, null, 2));
        });
  }

  @Test
  void aRowThatFailsInTheMiddleLeavesNoValueForTheNextOne() {
    List<Integer> broken =
        new AbstractList<>() {
          @Override
          public Integer get(int index) {
            throw new ConcurrentModificationException("changed meanwhile");
          }

          @Override
          public int size() {
            return 1;
          }
        };
    with(
        TestValues.schema(true, "INT", "ARRAY<INT>"),
        writers -> {
          assertThatThrownBy(() -> writers.write(Row.of(7, broken)))
              .isInstanceOf(ConcurrentModificationException.class);
          writers.endRow();
          assertThat(new VectorRow(writers.finish()).at(0).copy()).isEqualTo(Row.of(null, null));
        });
  }

  @Test
  void refusesNullInNotNullColumnsHoweverItComes() {
    with(
        TestValues.schema(false, "INT"),
        writers -> {
          assertThatThrownBy(() -> writers.setNull(0)).hasMessageContaining("NOT NULL");
          assertThatThrownBy(writers::endRow).hasMessageContaining("'c0'");
          assertThatThrownBy(() -> writers.write(Row.of((Object) null)))
              .hasMessageContaining("NOT NULL");
          assertThat(writers.rowCount()).isZero();
        });
  }

  @Test
  void refusesWhatTheColumnCannotHoldExactly() {
    refuses("TINYINT", "128", w -> w.setInt(0, 128));
    refuses("SMALLINT", "-32769", w -> w.setInt(0, -32769));
    refuses("INT", "2147483648", w -> w.setLong(0, 1L << 31));
    refuses("FLOAT", "0.1", w -> w.setDouble(0, 0.1));
    refuses("CHAR(2)", "3 characters", w -> w.setString(0, "abc"));
    refuses("STRING", "surrogate", w -> w.setString(0, "a\ud800"));
    refuses("STRING", "surrogate", w -> w.setString(0, "\udc00b"));
    refuses("DECIMAL(4,2)", "digits before", w -> w.setDecimal(0, new BigDecimal("100")));
    refuses("DECIMAL(4,2)", "digits before", w -> w.setDecimal(0, new BigDecimal("99999.99")));
    refuses("DECIMAL(4,2)", "digits after", w -> w.setDecimal(0, new BigDecimal("1.005")));
    refuses("DECIMAL(38,0)", "digits before", w -> w.setDecimal(0, new BigDecimal("1E999999999")));
    refuses("TIME(3)", "3 digits", w -> w.setTime(0, LocalTime.of(1, 2, 3, 1000)));
    refuses(
        "TIMESTAMP(4)", "4 digits", w -> w.setTimestamp(0, timestamp("2024-01-01T00:00:00.00001")));
    refuses("TIMESTAMP(9)", "1677", w -> w.setTimestamp(0, timestamp("2262-04-12T00:00:00")));
    refuses("TIMESTAMP(9)", "1677", w -> w.setTimestamp(0, timestamp("1677-09-21T00:12:43")));
    refuses("TIMESTAMP_LTZ(6)", "64 bits", w -> w.setInstant(0, Instant.MAX.minusNanos(999999999)));
    refuses("BINARY(3)", "exactly 3", w -> w.setBytes(0, new byte[4]));
    refuses("INT", "takes no String", w -> w.setString(0, "1"));
    refuses("TIMESTAMP(3)", "takes no Instant", w -> w.setInstant(0, Instant.EPOCH));
    refuses("BYTES", "takes no String", w -> w.setString(0, ""));
  }

  private static LocalDateTime timestamp(String text) {
    return LocalDateTime.parse(text);
  }

  @Test
  void takesTheEdgesOfNanosecondTimestamps() {
    with(
        TestValues.schema(true, "TIMESTAMP(9)"),
        writers -> {
          writers.setTimestamp(0, timestamp("1677-09-21T00:12:43.145224192"));
          writers.endRow();
          writers.setTimestamp(0, timestamp("2262-04-11T23:47:16.854775807"));
          writers.endRow();
          VectorRow row = new VectorRow(writers.finish());
          assertThat(row.at(0).getTimestamp(0)).isEqualTo("1677-09-21T00:12:43.145224192");
          assertThat(row.at(1).getTimestamp(0)).isEqualTo("2262-04-11T23:47:16.854775807");
        });
  }

  @Test
  void namesTheColumnWhenARowHasAnotherType() {
    with(
        TestValues.schema(true, "INT", "DATE"),
        writers -> {
          assertThatThrownBy(() -> writers.write(Row.of(1, "2024-01-01")))
              .hasMessageContaining("'c1'")
              .hasMessageContaining("LocalDate");
          assertThatThrownBy(() -> writers.write(Row.of(1)))
              .hasMessageContaining("1 values")
              .hasMessageContaining("2 columns");
          writers.write(Row.of(1, LocalDate.EPOCH));
          assertThat(writers.rowCount()).isOne();
        });
  }

  @Test
  void countsTheBytesOfRows() {
    with(
        TestValues.schema(true, "BIGINT", "STRING"),
        writers -> {
          for (int i = 0; i < 8; i++) {
            writers.write(Row.of((long) i, "abcd"));
          }
          assertThat(writers.bytes()).isEqualTo(8 * 8 + 8 * 4 + 8 * 4 + 2);
        });
  }

  @Test
  void startsAgainInTheSameRoot() {
    TableSchema schema = TestValues.schema(true, "STRING", "INT");
    with(
        schema,
        writers -> {
          writers.write(Row.of("one", 1));
          writers.write(Row.of("two", 2));
          writers.finish();
          writers.reset();
          writers.write(Row.of(null, 3));
          VectorSchemaRoot root = writers.finish();
          assertThat(root.getRowCount()).isOne();
          assertThat(new VectorRow(root).at(0).copy()).isEqualTo(Row.of(null, 3));
          root.clear();
          writers.reset();
          writers.write(Row.of("after clear", 4));
          assertThat(new VectorRow(writers.finish()).at(0).copy())
              .isEqualTo(Row.of("after clear", 4));
        });
  }

  @Test
  void refusesValuesBetweenFinishAndReset() {
    with(
        TestValues.schema(true, "STRING", "INT", "BOOLEAN", "ARRAY<INT>"),
        writers -> {
          writers.write(Row.of("abc", 1, true, null));
          long bytes = writers.bytes();
          writers.finish().close();
          assertThat(writers.bytes()).isEqualTo(bytes);
          assertThatThrownBy(() -> writers.setString(0, "x")).hasMessageContaining("reset()");
          assertThatThrownBy(() -> writers.setInt(1, 1)).hasMessageContaining("reset()");
          assertThatThrownBy(() -> writers.setBoolean(2, true)).hasMessageContaining("reset()");
          assertThatThrownBy(() -> writers.setNull(3)).hasMessageContaining("reset()");
          assertThatThrownBy(writers::endRow).hasMessageContaining("reset()");
        });
  }
}
