package io.sluice.format.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMicroVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SafeCastTest {
  private BufferAllocator allocator;

  @BeforeEach
  void open() {
    allocator = new RootAllocator();
  }

  @AfterEach
  void leavesNoMemory() {
    allocator.close();
  }

  private static Column column(String type, boolean nullable) {
    return Column.of(1, "c", DataTypeParser.parse(type), nullable);
  }

  /** Casts a vector, which is closed, and returns the values as objects. */
  private List<Object> cast(FieldVector source, String type) {
    return cast(source, column(type, true));
  }

  private List<Object> cast(FieldVector source, Column column) {
    try (source;
        FieldVector target = ArrowSchemas.toField(column).createVector(allocator)) {
      SafeCast.of(source.getField(), column).copy(source, target, 100);
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < target.getValueCount(); i++) {
        values.add(target.getObject(i));
      }
      return values;
    }
  }

  private void refuses(FieldVector source, String type, String... message) {
    assertThatThrownBy(() -> cast(source, type))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
        .hasMessageContaining("'c'")
        .hasMessageContaining("row 10")
        .hasMessageContainingAll(message);
  }

  private <V extends FieldVector> V vector(V vector, int count, Consumer<V> fill) {
    vector.setInitialCapacity(count);
    vector.allocateNew();
    fill.accept(vector);
    vector.setValueCount(count);
    return vector;
  }

  private BigIntVector longs(Long... values) {
    return vector(
        new BigIntVector("x", allocator),
        values.length,
        v -> {
          for (int i = 0; i < values.length; i++) {
            if (values[i] != null) {
              v.set(i, values[i]);
            }
          }
        });
  }

  private VarCharVector texts(String... values) {
    return vector(
        new VarCharVector("x", allocator),
        values.length,
        v -> {
          for (int i = 0; i < values.length; i++) {
            if (values[i] != null) {
              v.setSafe(i, values[i].getBytes(StandardCharsets.UTF_8));
            }
          }
        });
  }

  @Test
  void castsIntegersThatFit() {
    assertThat(cast(longs(1L, null, -128L), "TINYINT"))
        .containsExactly((byte) 1, null, (byte) -128);
    assertThat(cast(longs(Long.MAX_VALUE), "BIGINT")).containsExactly(Long.MAX_VALUE);
    UInt1Vector unsigned = vector(new UInt1Vector("x", allocator), 1, v -> v.set(0, 255));
    assertThat(cast(unsigned, "SMALLINT")).containsExactly((short) 255);
    refuses(longs(1L, 128L), "TINYINT", "128", "row 101", "-128 to 127", "wider column");
    UInt8Vector large = vector(new UInt8Vector("x", allocator), 1, v -> v.set(0, -1L));
    refuses(large, "BIGINT", "18446744073709551615");
  }

  @Test
  void castsManyRowsWithAndWithoutNulls() {
    for (int rows : new int[] {0, 1, 7, 8, 9, 64, 1000}) {
      Long[] values = new Long[rows];
      Object[] expected = new Object[rows];
      for (int i = 0; i < rows; i++) {
        values[i] = (long) i;
        expected[i] = i;
      }
      assertThat(cast(longs(values), "INT")).containsExactly(expected);
      if (rows > 3) {
        values[3] = null;
        expected[3] = null;
      }
      assertThat(cast(longs(values), "INT")).containsExactly(expected);
    }
  }

  @Test
  void castsFloatsThatAreExact() {
    Float4Vector floats = vector(new Float4Vector("x", allocator), 1, v -> v.set(0, 0.1f));
    assertThat(cast(floats, "DOUBLE")).containsExactly((double) 0.1f);
    Float8Vector exact = vector(new Float8Vector("x", allocator), 1, v -> v.set(0, 0.5));
    assertThat(cast(exact, "FLOAT")).containsExactly(0.5f);
    Float8Vector inexact = vector(new Float8Vector("x", allocator), 1, v -> v.set(0, 0.1));
    refuses(inexact, "FLOAT", "0.1", "float32");
  }

  @Test
  void castsTextOfEveryForm() {
    LargeVarCharVector large =
        vector(
            new LargeVarCharVector("x", allocator),
            2,
            v -> v.setSafe(1, "größe".getBytes(StandardCharsets.UTF_8)));
    assertThat(cast(large, "STRING").toString()).isEqualTo("[null, größe]");
    ViewVarCharVector view =
        vector(
            new ViewVarCharVector("x", allocator),
            2,
            v -> {
              v.setSafe(0, "short".getBytes(StandardCharsets.UTF_8));
              v.setSafe(1, "longer than twelve bytes".getBytes(StandardCharsets.UTF_8));
            });
    assertThat(cast(view, "STRING").toString()).isEqualTo("[short, longer than twelve bytes]");
    assertThat(cast(texts("日本", "ab", ""), "CHAR(2)").toString()).isEqualTo("[日本, ab, ]");
    refuses(texts("ab", "abc"), "CHAR(2)", "3 characters", "row 101", "STRING");
    VarCharVector damaged =
        vector(
            new VarCharVector("x", allocator),
            1,
            v -> v.setSafe(0, new byte[] {'a', (byte) 0xC0, 0}));
    refuses(damaged, "STRING", "UTF-8");
  }

  @Test
  void decodesDictionaries() {
    VarCharVector values = texts("red", "green");
    DictionaryEncoding encoding = new DictionaryEncoding(7, false, null);
    DictionaryProvider.MapDictionaryProvider provider =
        new DictionaryProvider.MapDictionaryProvider(new Dictionary(values, encoding));
    try (values;
        VarCharVector plain = texts("green", null, "red");
        FieldVector encoded = (FieldVector) DictionaryEncoder.encode(plain, provider.lookup(7));
        VarCharVector target = new VarCharVector("c", allocator)) {
      SafeCast.of(encoded.getField(), column("STRING", true), provider).copy(encoded, target, 0);
      assertThat(target.getObject(0)).hasToString("green");
      assertThat(target.isNull(1)).isTrue();
      assertThat(target.getObject(2)).hasToString("red");
      assertThatThrownBy(() -> SafeCast.of(encoded.getField(), column("STRING", true)))
          .hasMessageContaining("dictionary");
    }
  }

  @Test
  void castsBinaryOfEveryForm() {
    LargeVarBinaryVector large =
        vector(new LargeVarBinaryVector("x", allocator), 1, v -> v.setSafe(0, new byte[] {1, 2}));
    assertThat(cast(large, "BYTES")).containsExactly(new byte[] {1, 2});
    FixedSizeBinaryVector fixed =
        vector(new FixedSizeBinaryVector("x", allocator, 2), 1, v -> v.set(0, new byte[] {3, 4}));
    assertThat(cast(fixed, "BYTES")).containsExactly(new byte[] {3, 4});
    VarBinaryVector exact =
        vector(new VarBinaryVector("x", allocator), 2, v -> v.setSafe(0, new byte[] {5, 6}));
    assertThat(cast(exact, "BINARY(2)")).containsExactly(new byte[] {5, 6}, null);
    VarBinaryVector other =
        vector(new VarBinaryVector("x", allocator), 1, v -> v.setSafe(0, new byte[3]));
    refuses(other, "BINARY(2)", "3 bytes", "exactly 2");
  }

  @Test
  void castsDecimalsThatAreExact() {
    DecimalVector decimals =
        vector(
            new DecimalVector("x", allocator, 20, 4),
            3,
            v -> {
              v.set(0, new BigDecimal("12.3400"));
              v.set(2, new BigDecimal("-99.9900"));
            });
    assertThat(cast(decimals, "DECIMAL(4,2)"))
        .containsExactly(new BigDecimal("12.34"), null, new BigDecimal("-99.99"));
    Decimal256Vector wide =
        vector(
            new Decimal256Vector("x", allocator, 50, 0),
            1,
            v -> v.set(0, new BigDecimal("9".repeat(38))));
    assertThat(cast(wide, "DECIMAL(38,0)")).containsExactly(new BigDecimal("9".repeat(38)));
    DecimalVector digits =
        vector(
            new DecimalVector("x", allocator, 20, 4), 1, v -> v.set(0, new BigDecimal("0.0001")));
    refuses(digits, "DECIMAL(20,2)", "0.0001", "round it");
    DecimalVector tooLarge =
        vector(new DecimalVector("x", allocator, 4, 2), 1, v -> v.set(0, new BigDecimal("10.00")));
    refuses(tooLarge, "DECIMAL(3,2)", "10.00", "larger precision");
  }

  @Test
  void changesUnitsThatAreExact() {
    TimeStampMicroVector micros =
        vector(new TimeStampMicroVector("x", allocator), 1, v -> v.set(0, -1_000L));
    assertThat(cast(micros, "TIMESTAMP(3)").toString()).contains("1969-12-31T23:59:59.999");
    TimeStampMicroVector inexact =
        vector(new TimeStampMicroVector("x", allocator), 1, v -> v.set(0, 1_001L));
    refuses(inexact, "TIMESTAMP(3)", "1001", "3 digits", "truncate");
    TimeStampMicroVector step =
        vector(new TimeStampMicroVector("x", allocator), 1, v -> v.set(0, 1L));
    refuses(step, "TIMESTAMP(5)", "5 digits");
    TimeStampSecVector far =
        vector(new TimeStampSecVector("x", allocator), 1, v -> v.set(0, 9_223_372_037L));
    refuses(far, "TIMESTAMP(9)", "1677");
    TimeMicroVector time =
        vector(new TimeMicroVector("x", allocator), 1, v -> v.set(0, 86_399_999_000L));
    assertThat(cast(time, "TIME(3)").toString()).contains("23:59:59.999");
    TimeMicroVector beyond =
        vector(new TimeMicroVector("x", allocator), 1, v -> v.set(0, 86_400_000_000L));
    refuses(beyond, "TIME(6)", "time of day");
    DateMilliVector date =
        vector(new DateMilliVector("x", allocator), 1, v -> v.set(0, -86_400_000L));
    assertThat(cast(date, "DATE")).containsExactly(-1);
    DateMilliVector noon =
        vector(new DateMilliVector("x", allocator), 1, v -> v.set(0, 43_200_000L));
    refuses(noon, "DATE", "midnight");
  }

  @Test
  void keepsInstantsAndWallClocksApart() {
    TimeStampMicroTZVector zoned =
        vector(new TimeStampMicroTZVector("x", allocator, "Asia/Tokyo"), 1, v -> v.set(0, 5));
    assertThat(cast(zoned, "TIMESTAMP_LTZ(6)")).containsExactly(5L);
    try (TimeStampMicroTZVector again = new TimeStampMicroTZVector("x", allocator, "UTC");
        TimeStampMicroVector plain = new TimeStampMicroVector("x", allocator)) {
      assertThatThrownBy(() -> SafeCast.of(again.getField(), column("TIMESTAMP(6)", true)))
          .hasMessageContaining("drop its zone");
      assertThatThrownBy(() -> SafeCast.of(plain.getField(), column("TIMESTAMP_LTZ(6)", true)))
          .hasMessageContaining("give it a zone");
    }
  }

  @Test
  void nullTypeFillsNullableColumns() {
    for (String type : List.of("INT", "STRING", "BOOLEAN", "DECIMAL(4,2)", "ARRAY<INT>")) {
      assertThat(cast(new NullVector("x", 2), type)).containsExactly(null, null);
    }
    assertThatThrownBy(() -> cast(new NullVector("x", 2), column("INT", false)))
        .hasMessageContaining("NOT NULL");
  }

  @Test
  void refusesNullInNotNullColumnsNamingTheRow() {
    assertThatThrownBy(() -> cast(longs(1L, 2L, null), column("BIGINT", false)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_VALUE))
        .hasMessageContaining("row 102");
  }

  @Test
  void copiesBooleans() {
    BitVector bits =
        vector(
            new BitVector("x", allocator),
            10,
            v -> {
              v.set(0, 1);
              v.set(9, 1);
              v.set(3, 0);
            });
    assertThat(cast(bits, "BOOLEAN"))
        .containsExactly(true, null, null, false, null, null, null, null, null, true);
  }

  @Test
  void copiesNestedValuesOfTheSameTypeOnly() {
    ListVector list = ListVector.empty("x", allocator);
    UnionListWriter writer = list.getWriter();
    writer.startList();
    writer.integer().writeInt(1);
    writer.integer().writeInt(2);
    writer.endList();
    writer.setValueCount(2);
    assertThat(cast(list, "ARRAY<INT>").toString()).isEqualTo("[[1,2], null]");
    try (ListVector empty = ListVector.empty("x", allocator)) {
      empty.addOrGetVector(FieldType.nullable(ArrowType.Utf8.INSTANCE));
      assertThatThrownBy(() -> SafeCast.of(empty.getField(), column("ARRAY<INT>", true)))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEMA));
    }
  }

  @Test
  void copiesRowsAndRefusesNullInTheirNotNullFields() {
    Column column = column("ROW<a INT NOT NULL, b MAP<STRING,INT>>", true);
    Field source = ArrowSchemas.toField(column("ROW<a INT, b MAP<STRING,INT>>", true));
    StructVector good = (StructVector) source.createVector(allocator);
    good.allocateNew();
    IntVector numbers = (IntVector) good.getChild("a");
    numbers.setSafe(1, 7);
    good.setIndexDefined(1);
    good.setValueCount(2);
    assertThat(cast(good, column).toString()).isEqualTo("[null, {\"a\":7}]");

    StructVector bad = (StructVector) source.createVector(allocator);
    bad.allocateNew();
    bad.setIndexDefined(0);
    bad.setValueCount(1);
    assertThatThrownBy(() -> cast(bad, column))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("'a'")
        .hasMessageContaining("NOT NULL");
  }

  @Test
  void refusesPairsOfTypesThatNeverFitNamingBothAndAWayOut() {
    Field text = new Field("x", FieldType.nullable(ArrowType.Utf8.INSTANCE), null);
    for (String type :
        List.of(
            "INT",
            "BOOLEAN",
            "DOUBLE",
            "DECIMAL(4,2)",
            "DATE",
            "TIME(3)",
            "TIMESTAMP(3)",
            "TIMESTAMP_LTZ(3)",
            "BINARY(2)",
            "BYTES",
            "ARRAY<INT>",
            "ROW<a INT>")) {
      assertThatThrownBy(() -> SafeCast.of(text, column(type, true)))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEMA))
          .hasMessageContaining("'c'")
          .hasMessageContaining("Utf8")
          .hasMessageContaining("upload");
    }
    Field number = new Field("x", FieldType.nullable(new ArrowType.Int(32, true)), null);
    assertThatThrownBy(() -> SafeCast.of(number, column("STRING", true)))
        .hasMessageContaining("cast it to utf8");
  }

  @Test
  void refusesOffsetsOutsideOfTheData() {
    VarCharVector source = texts("abc");
    source.getOffsetBuffer().setInt(4, 1 << 30);
    assertThatThrownBy(() -> cast(source, "STRING"))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BATCH));
  }
}
