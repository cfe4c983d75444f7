package io.sluice.format.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.testkit.Seeds;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KeyEncoderRandomTest {

  @Test
  void bytesAreOrderedAsValuesAndDecodeToThem() {
    Seeds.run(
        200,
        (seed, random) -> {
          String[] types = new String[random.nextInt(1, 4)];
          for (int i = 0; i < types.length; i++) {
            types[i] = TestValues.SCALARS.get(random.nextInt(TestValues.SCALARS.size()));
          }
          TableSchema schema = TestValues.schema(false, types);
          KeyEncoder encoder = KeyEncoder.of(schema, TestValues.names(schema));
          for (int i = 0; i < 50; i++) {
            GenericRow a = TestValues.randomRow(schema, random);
            GenericRow b = near(a, schema, random);
            byte[] keyA = encoder.encode(a);
            byte[] keyB = encoder.encode(b);
            assertThat(Integer.signum(Arrays.compareUnsigned(keyA, keyB)))
                .as("%s and %s of %s", a, b, schema)
                .isEqualTo(compare(a, b, schema));
            assertThat(compare(encoder.decode(keyA), a, schema)).isZero();
          }
        });
  }

  /** A row that shares some columns with the other, so that later columns decide. */
  private static GenericRow near(GenericRow row, TableSchema schema, SplittableRandom random) {
    Object[] values = new Object[schema.size()];
    for (int i = 0; i < values.length; i++) {
      DataType type = schema.columns().get(i).type();
      values[i] = random.nextBoolean() ? row.value(i) : TestValues.random(type, random);
    }
    return GenericRow.of(values);
  }

  private static int compare(GenericRow a, GenericRow b, TableSchema schema) {
    for (int i = 0; i < schema.size(); i++) {
      int order = compareValues(a.value(i), b.value(i));
      if (order != 0) {
        return Integer.signum(order);
      }
    }
    return 0;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compareValues(Object a, Object b) {
    if (a instanceof byte[] bytes) {
      return Arrays.compareUnsigned(bytes, (byte[]) b);
    }
    if (a instanceof String text) {
      return Arrays.compare(text.codePoints().toArray(), ((String) b).codePoints().toArray());
    }
    if (a instanceof Float number) {
      return Float.compare(number + 0f, (Float) b + 0f);
    }
    if (a instanceof Double number) {
      return Double.compare(number + 0d, (Double) b + 0d);
    }
    return ((Comparable) a).compareTo(b);
  }

  @Test
  void everyDecimalPrecisionHasRoomForItsLargestNumbers() {
    for (int precision = 1; precision <= 38; precision++) {
      TableSchema schema = TestValues.schema(false, "DECIMAL(" + precision + ",0)");
      KeyEncoder encoder = KeyEncoder.of(schema, TestValues.names(schema));
      DataType type = DataTypeParser.parse("DECIMAL(" + precision + ",0)");
      for (String sign : new String[] {"", "-"}) {
        GenericRow row = GenericRow.of(TestValues.parse(type, sign + "9".repeat(precision)));
        assertThat(encoder.decode(encoder.encode(row))).isEqualTo(row);
      }
    }
  }
}
