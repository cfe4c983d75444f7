package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowCodecTest {
  private static final String GOLDEN = "src/test/resources/golden/rows.json";

  @Test
  void encodesTheGoldenRows() {
    for (JsonNode entry : TestValues.vectors(GOLDEN)) {
      RowCodec codec = RowCodec.of(TestValues.schemaOf(entry, true));
      byte[] value = codec.encode(TestValues.rowOf(entry), entry.get("modifiedMs").asLong());
      assertThat(HexFormat.of().formatHex(value))
          .as("%s", entry)
          .isEqualTo(entry.get("value_bytes").asText());
    }
  }

  @Test
  void decodesTheGoldenRows() {
    for (JsonNode entry : TestValues.vectors(GOLDEN)) {
      byte[] value = HexFormat.of().parseHex(entry.get("value_bytes").asText());
      TableSchema schema = TestValues.schemaOf(entry, true);
      CompactRow row = RowCodec.of(schema).decode(value);
      assertThat(row.modifiedMs()).isEqualTo(entry.get("modifiedMs").asLong());
      assertThat(RowCodec.schemaId(value)).isEqualTo(schema.schemaId());
      assertThat(copy(row, schema)).isEqualTo(TestValues.rowOf(entry));
    }
  }

  @Test
  void nestedValuesHaveTheBytesOfTheFormatPage() {
    TableSchema schema = TestValues.schema(true, "ARRAY<ROW<a INT, b STRING>>");
    List<Row> value = Arrays.asList(Row.of(7, "x"), null);
    assertThat(HexFormat.of().formatHex(RowCodec.of(schema).encode(Row.of(value), 0)))
        .isEqualTo(
            "010001000000000000000000"
                + "00"
                + "0f000000"
                + "0200000002"
                + "0007000000"
                + "0100000078");
  }

  @Test
  void rowsEncodedAreRowsDecoded() {
    Seeds.run(
        100,
        (seed, random) -> {
          TableSchema schema = TestValues.allScalars(true);
          RowCodec codec = RowCodec.of(schema);
          GenericRow row = TestValues.randomRow(schema, random);
          assertThat(copy(codec.decode(codec.encode(row, seed)), schema)).isEqualTo(row);
        });
  }

  @Test
  void appendsRowsOneAfterTheOther() {
    RowCodec codec = RowCodec.of(TestValues.schema(true, "STRING", "INT"));
    ByteAccumulator out = new ByteAccumulator(1);
    codec.encode(Row.of("first", 1), 1, out);
    int first = out.length();
    codec.encode(Row.of("second", 2), 2, out);
    byte[] both = out.toByteArray();
    assertThat(codec.decode(Arrays.copyOf(both, first)).getString(0)).isEqualTo("first");
    CompactRow second = codec.decode(Arrays.copyOfRange(both, first, both.length));
    assertThat(second.getString(0)).isEqualTo("second");
    assertThat(second.getInt(1)).isEqualTo(2);
  }

  @Test
  void refusesDamagedValuesNamingThePosition() {
    RowCodec codec = RowCodec.of(TestValues.schema(true, "STRING", "INT", "BYTES"));
    byte[] value = codec.encode(Row.of("abc", 1, new byte[] {1, 2}), 5);
    for (int length = 0; length < value.length; length++) {
      damaged(codec, Arrays.copyOf(value, length));
    }
    damaged(codec, Arrays.copyOf(value, value.length + 1));
    damaged(codec, with(value, 0, 2));
    damaged(codec, with(value, 1, 1));
    damaged(codec, with(value, 12, 0x80));
    damaged(codec, with(value, 12, 0x01));
    damaged(codec, with(value, 13, 100));
    damaged(codec, with(value, 16, 0xFF));
  }

  private static void damaged(RowCodec codec, byte[] value) {
    assertThatThrownBy(() -> codec.decode(value))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE))
        .hasMessageContaining("at byte");
  }

  private static byte[] with(byte[] value, int at, int replacement) {
    byte[] changed = value.clone();
    changed[at] = (byte) replacement;
    return changed;
  }

  @Test
  void refusesValuesOfAnotherSchemaAndNullsInNotNullColumns() {
    byte[] value = RowCodec.of(TestValues.schema(2, true, "INT")).encode(Row.of(1), 0);
    assertThatThrownBy(() -> RowCodec.of(TestValues.schema(3, true, "INT")).decode(value))
        .hasMessageContaining("schema 2");
    RowCodec strict = RowCodec.of(TestValues.schema(false, "INT"));
    assertThatThrownBy(() -> strict.encode(Row.of((Object) null), 0)).hasMessageContaining("'c0'");
  }

  private static GenericRow copy(Row row, TableSchema schema) {
    Object[] values = new Object[schema.size()];
    for (int i = 0; i < values.length; i++) {
      String type = schema.columns().get(i).type().toString().replaceAll("\\(.*", "");
      values[i] = row.isNull(i) ? null : value(row, i, type);
    }
    return GenericRow.of(values);
  }

  private static Object value(Row row, int at, String type) {
    return switch (type) {
      case "BOOLEAN" -> row.getBoolean(at);
      case "TINYINT" -> row.getByte(at);
      case "SMALLINT" -> row.getShort(at);
      case "INT" -> row.getInt(at);
      case "BIGINT" -> row.getLong(at);
      case "FLOAT" -> row.getFloat(at);
      case "DOUBLE" -> row.getDouble(at);
      case "CHAR", "STRING" -> row.getString(at);
      case "DECIMAL" -> row.getDecimal(at);
      case "DATE" -> row.getDate(at);
      case "TIME" -> row.getTime(at);
      case "TIMESTAMP" -> row.getTimestamp(at);
      case "TIMESTAMP_LTZ" -> row.getInstant(at);
      default -> row.getBytes(at);
    };
  }
}
