package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyEncoderTest {
  private static final String GOLDEN = "src/test/resources/golden/keys.json";

  private static KeyEncoder encoder(TableSchema schema) {
    return KeyEncoder.of(schema, TestValues.names(schema));
  }

  @Test
  void encodesTheGoldenKeys() {
    for (JsonNode entry : TestValues.vectors(GOLDEN)) {
      TableSchema schema = TestValues.schemaOf(entry, false);
      byte[] key = encoder(schema).encode(TestValues.rowOf(entry));
      assertThat(HexFormat.of().formatHex(key))
          .as("%s", entry)
          .isEqualTo(entry.get("key").asText());
    }
  }

  @Test
  void decodesTheGoldenKeys() {
    for (JsonNode entry : TestValues.vectors(GOLDEN)) {
      TableSchema schema = TestValues.schemaOf(entry, false);
      byte[] key = HexFormat.of().parseHex(entry.get("key").asText());
      byte[] again = encoder(schema).encode(encoder(schema).decode(key));
      assertThat(again).as("%s", entry).isEqualTo(key);
    }
  }

  @Test
  void takesKeyColumnsInKeyOrder() {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                Column.of(1, "a", new DataType.IntegerType(32), false),
                Column.of(2, "b", new DataType.StringType(), false),
                Column.of(3, "c", new DataType.IntegerType(8), false)),
            List.of("c", "b"));
    KeyEncoder encoder = KeyEncoder.of(schema);
    byte[] key = encoder.encode(Row.of(1, "x", 2));
    assertThat(key).containsExactly(1, 0x82, 'x', 0, 0);
    assertThat(encoder.decode(key)).isEqualTo(Row.of((byte) 2, "x"));
  }

  @Test
  void refusesNullKeysAndNestedColumns() {
    TableSchema schema = TestValues.schema(true, "INT", "ARRAY<INT>");
    assertThatThrownBy(() -> KeyEncoder.of(schema, List.of("c0")).encode(Row.of(null, null)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("'c0'");
    assertThatThrownBy(() -> KeyEncoder.of(schema, List.of("c1")))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("nested");
  }

  @Test
  void refusesDamagedKeysNamingColumnAndPosition() {
    TableSchema schema = TestValues.schema(false, "STRING", "INT");
    KeyEncoder encoder = encoder(schema);
    byte[] key = encoder.encode(Row.of("a", 1));
    for (int length = 0; length < key.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(key, length);
      assertThatThrownBy(() -> encoder.decode(cut)).hasMessageContaining("damaged at byte");
    }
    assertThatThrownBy(() -> encoder.decode(java.util.Arrays.copyOf(key, key.length + 1)))
        .hasMessageContaining("follow the last");
    assertThatThrownBy(() -> encoder.decode(new byte[] {1, 'a', 0, 5, 0, 0, 0, 0}))
        .hasMessageContaining("'c0'");
    assertThatThrownBy(() -> encoder.decode(new byte[] {1, (byte) 0xFF, 0, 0, 0, 0, 0, 0}))
        .hasMessageContaining("UTF-8");
    assertThatThrownBy(() -> encoder.decode(new byte[] {2, 0, 0, 0, 0, 0, 0}))
        .hasMessageContaining("0x01");
  }
}
