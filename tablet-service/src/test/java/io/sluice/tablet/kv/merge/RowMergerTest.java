package io.sluice.tablet.kv.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowMergerTest {
  private static final String ENGINE = "table.merge-engine";

  private static BitSet columns(int... positions) {
    BitSet set = new BitSet();
    Arrays.stream(positions).forEach(set::set);
    return set;
  }

  @Test
  void lastRowWinsWithoutAnEngine() {
    MergeFixture row = new MergeFixture(List.of("a STRING"));
    assertThat(row.merger.isPlain()).isTrue();
    assertThat(row.put("x")).isTrue();
    assertThat(row.put("x")).isFalse();
    assertThat(row.put("y")).isTrue();
    assertThat(row.value()).isEqualTo("y");
  }

  @Test
  void firstRowStays() {
    MergeFixture row = new MergeFixture(List.of("a STRING", "b INT"), ENGINE, "first_row");
    assertThat(row.merger.isPlain()).isFalse();
    assertThat(row.put(null, 1)).isTrue();
    assertThat(row.put("y", 2)).isFalse();
    assertThat(row.value(1)).isNull();
    assertThat(row.value(2)).isEqualTo(1);
  }

  private static MergeFixture versioned(String type) {
    return new MergeFixture(
        List.of("a STRING", "v " + type),
        ENGINE,
        "versioned",
        ENGINE + ".versioned.ver-column",
        "v");
  }

  @Test
  void highestVersionStaysOfEqualOnesTheLast() {
    MergeFixture row = versioned("BIGINT");
    assertThat(row.put("none", null)).isTrue();
    assertThat(row.put("none again", null)).isTrue();
    assertThat(row.put("lowest", Long.MIN_VALUE)).isTrue();
    assertThat(row.put("null is lower", null)).isFalse();
    assertThat(row.put("five", 5L)).isTrue();
    assertThat(row.put("four", 4L)).isFalse();
    assertThat(row.put("five again", 5L)).isTrue();
    assertThat(row.put("five again", 5L)).isFalse();
    assertThat(row.value(1)).isEqualTo("five again");
  }

  @Test
  void versionsMayBeTimes() {
    MergeFixture wall = versioned("TIMESTAMP(6)");
    LocalDateTime time = LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000);
    assertThat(wall.put("a", time)).isTrue();
    assertThat(wall.put("b", time.minusNanos(1_000))).isFalse();
    assertThat(wall.put("c", time.plusNanos(1_000))).isTrue();
    MergeFixture instants = versioned("TIMESTAMP_LTZ(3)");
    assertThat(instants.put("a", Instant.ofEpochMilli(-1))).isTrue();
    assertThat(instants.put("b", Instant.ofEpochMilli(-2))).isFalse();
    assertThat(instants.put("c", Instant.ofEpochMilli(-1))).isTrue();
    MergeFixture ints = versioned("INT");
    assertThat(ints.put("a", 1)).isTrue();
    assertThat(ints.put("b", 0)).isFalse();
  }

  @Test
  void aggregationTouchesOnlyColumnsThatThePutWrites() {
    MergeFixture row =
        new MergeFixture(
            List.of("s BIGINT", "c BIGINT", "l STRING", "t STRING"),
            ENGINE,
            "aggregation",
            "fields.s.agg",
            "sum",
            "fields.c.agg",
            "count",
            "fields.l.agg",
            "last_value");
    assertThat(row.putSome(columns(0, 1), 5L, null, null, null)).isTrue();
    assertThat(row.putSome(columns(0, 2, 3), 5L, 77L, "x", null)).isTrue();
    // What the row before has in other columns must not be added to itself.
    assertThat(row.putSome(columns(0, 2), 5L, 99L, "x", null)).isTrue();
    assertThat(row.putSome(columns(0), 5L, 2L, "x", null)).isFalse();
    assertThat(row.putSome(columns(0, 3), 5L, 2L, null, null)).isTrue();
    assertThat(row.putSome(columns(0, 4), 5L, 2L, null, "t")).isTrue();
    assertThat(row.putSome(columns(0, 4), 5L, 2L, null, null)).isFalse();
    assertThat(row.value(1)).isEqualTo(5L);
    assertThat(row.value(2)).isEqualTo(2L);
    assertThat(row.value(3)).isNull();
    assertThat(row.value(4)).isEqualTo("t");
  }

  @Test
  void defaultsOfANewRowAreNotCounted() {
    TableSchema schema =
        new TableSchema(
            1,
            List.of(
                Column.of(1, "k", DataTypeParser.parse("INT"), false),
                new Column(2, "c", DataTypeParser.parse("INT"), true, "", null, "40")),
            List.of("k"));
    MergeFixture row = new MergeFixture(schema, ENGINE, "aggregation", "fields.c.agg", "count");
    assertThat(row.putSome(columns(0), 40)).isTrue();
    assertThat(row.putSome(columns(0, 1), 1_000)).isTrue();
    assertThat(row.value(1)).isEqualTo(41);
  }

  @Test
  void overflowIsRefusedAndTheRowStays() {
    MergeFixture row = MergeFixture.aggregating("TINYINT", "sum");
    row.put((byte) 127);
    assertThat(row.refused((byte) 1))
        .hasMessageContaining("'v' (TINYINT, sum)")
        .hasMessageContaining("1 put to 127")
        .hasMessageContaining("fields.v.agg.on-overflow")
        .extracting("code")
        .isEqualTo(ErrorCode.AGGREGATE_OVERFLOW);
    assertThat(row.value()).isEqualTo((byte) 127);
    assertThat(row.put((byte) -1)).isTrue();
    assertThat(row.value()).isEqualTo((byte) 126);
  }

  @Test
  void saturatedSumGoesOnFromTheEndOfTheRange() {
    String option = "fields.v.agg.on-overflow";
    MergeFixture row = MergeFixture.aggregating("DECIMAL(4,2)", "sum", option, "saturate");
    row.put(new BigDecimal("-99.00"));
    assertThat(row.put(new BigDecimal("-1.00"))).isTrue();
    assertThat(row.value()).isEqualTo(new BigDecimal("-99.99"));
    assertThat(row.put(new BigDecimal("-1.00"))).isFalse();
    assertThat(row.put(new BigDecimal("0.99"))).isTrue();
    assertThat(row.value()).isEqualTo(new BigDecimal("-99.00"));
  }

  @Test
  void productsOfDecimalsAreRoundedHalfAwayFromZero() {
    MergeFixture row = MergeFixture.aggregating("DECIMAL(6,2)", "product");
    row.put(new BigDecimal("-0.25"));
    row.put(new BigDecimal("0.10"));
    assertThat(row.value()).isEqualTo(new BigDecimal("-0.03"));
    row.put(new BigDecimal("0.10"));
    assertThat(row.value()).isEqualTo(new BigDecimal("0.00"));
  }

  @Test
  void floatsFollowIeee() {
    MergeFixture sum = MergeFixture.aggregating("DOUBLE", "sum");
    sum.put(Double.MAX_VALUE);
    sum.put(Double.MAX_VALUE);
    assertThat(sum.value()).isEqualTo(Double.POSITIVE_INFINITY);
    sum.put(Double.NEGATIVE_INFINITY);
    assertThat(sum.value()).isEqualTo(Double.NaN);
    assertThat(sum.put(1.0)).isFalse();
    MergeFixture min = MergeFixture.aggregating("FLOAT", "min");
    min.put(Float.NaN);
    assertThat(min.put(Float.POSITIVE_INFINITY)).isTrue();
    min.put(0.0f);
    assertThat(min.put(-0.0f)).isTrue();
    assertThat(min.put(0.0f)).isFalse();
    assertThat(min.put(Float.NaN)).isFalse();
    MergeFixture max = MergeFixture.aggregating("FLOAT", "max");
    max.put(Float.POSITIVE_INFINITY);
    assertThat(max.put(Float.NaN)).isTrue();
    assertThat(max.put(Float.POSITIVE_INFINITY)).isFalse();
  }

  @Test
  void textIsOrderedByCodePoint() {
    String supplementary = new String(Character.toChars(0x1F600));
    MergeFixture max = MergeFixture.aggregating("STRING", "max");
    max.put("\uFFFD");
    assertThat(max.put(supplementary)).isTrue();
    assertThat(max.put("\uFFFD\uFFFD")).isFalse();
    assertThat(max.put(supplementary + "a")).isTrue();
    assertThat(max.value()).isEqualTo(supplementary + "a");
    MergeFixture min = MergeFixture.aggregating("CHAR(3)", "min");
    min.put(supplementary);
    assertThat(min.put("\uFFFD")).isTrue();
    assertThat(min.put("")).isTrue();
    assertThat(min.put("a")).isFalse();
  }

  @Test
  void firstValueOfTheRowStaysAlsoWhenItIsNull() {
    MergeFixture row = MergeFixture.aggregating("STRING", "first_value");
    assertThat(row.put((Object) null)).isTrue();
    assertThat(row.put("x")).isFalse();
    assertThat(row.value()).isNull();
    MergeFixture notNull = MergeFixture.aggregating("STRING", "first_value_not_null");
    notNull.put((Object) null);
    assertThat(notNull.put("x")).isTrue();
    assertThat(notNull.put("y")).isFalse();
    assertThat(notNull.value()).isEqualTo("x");
  }

  @Test
  void listsHaveTheirDelimiterAlsoAroundEmptyTexts() {
    MergeFixture row =
        MergeFixture.aggregating("STRING", "string_agg", "fields.v.agg.delimiter", " | ");
    row.put("");
    row.put((Object) null);
    row.put("b");
    row.put("");
    assertThat(row.value()).isEqualTo(" | b | ");
    MergeFixture comma = MergeFixture.aggregating("STRING", "listagg");
    comma.put("a");
    comma.put("a");
    assertThat(comma.value()).isEqualTo("a,a");
  }
}
