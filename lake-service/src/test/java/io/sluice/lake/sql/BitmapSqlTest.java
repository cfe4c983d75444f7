package io.sluice.lake.sql;

import static io.sluice.lake.sql.StartedGateway.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.TableSpec;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.bitmap.Bitmap;
import io.sluice.lake.bitmap.BitmapFormat;
import io.sluice.lake.bitmap.BitmapWidth;
import io.sluice.lake.sqlfakes.FakeTable;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Functions on bitmaps, by SQL. */
final class BitmapSqlTest extends GatewayTest {
  private static byte[] bitmap(long... numbers) {
    Bitmap bitmap = new Bitmap();
    LongStream.of(numbers).forEach(bitmap::add);
    return BitmapFormat.write(bitmap, BitmapWidth.NARROW);
  }

  /** Channels with days and bitmaps; one bitmap is NULL, and one channel has no other. */
  private void visits() {
    FakeTable table =
        gateway.cluster.create(
            TableSpec.of("demo.visits")
                .column("channel", "STRING")
                .column("ymd", "INT")
                .column("b", "BYTES")
                .build());
    table.append(0, "app", 1, bitmap(1, 2, 3));
    table.append(0, "app", 2, bitmap(2, 5));
    table.append(0, "app", 2, (Object) null);
    table.append(0, "web", 1, bitmap(3, 4, 4_294_967_295L));
    table.append(0, "web", 2, bitmap());
    table.append(0, "fax", 2, (Object) null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "RB_CARDINALITY(RB_BUILD(7))|1",
        "RB_CARDINALITY(RB_BUILD(7, 7, 8))|2",
        "RB_TO_ARRAY(RB_BUILD([3, 1, NULL, 2]))|[1, 2, 3]",
        "RB_TO_ARRAY(RB_BUILD(ARRAY[]))|[]",
        "RB_TO_ARRAY(RB_BUILD(1, NULL, 4294967295))|[1, 4294967295]",
        "RB_CARDINALITY(CAST(from_base64('OjAAAAAAAAA=') AS BYTES))|0",
        "(SELECT bytes FROM (SELECT 7 AS bytes) AS t)|7",
        "RB_BUILD(NULL)|null",
        "RB_BUILD(CAST(NULL AS INT), NULL)|null",
        "RB_CARDINALITY(NULL)|null",
        "RB_TO_ARRAY(RB_AND(RB_BUILD(1, 2, 3), RB_BUILD(2, 3, 4)))|[2, 3]",
        "RB_TO_ARRAY(RB_OR(RB_BUILD(1, 2), RB_BUILD(2, 4)))|[1, 2, 4]",
        "rb_to_array(rb_xor(rb_build(1, 2), rb_build(2, 4)))|[1, 4]",
        "RB_TO_ARRAY(RB_ANDNOT(RB_BUILD(1, 2, 3), RB_BUILD(2)))|[1, 3]",
        "RB_AND(RB_BUILD(1), NULL)|null",
        "RB_CONTAINS(RB_BUILD(1, 5), 5)|true",
        "RB_CONTAINS(RB_BUILD(1, 5), 4)|false",
        "RB_CONTAINS(RB_BUILD(1, 5), -1)|false",
        "RB_CONTAINS(RB_BUILD(1, 5), NULL)|null",
        "RB64_TO_ARRAY(RB64_BUILD(1, 9223372036854775807, 4294967296))"
            + "|[1, 4294967296, 9223372036854775807]",
        "RB64_CARDINALITY(RB64_OR(RB64_BUILD(1), RB64_BUILD(8589934592)))|2",
        "RB64_TO_ARRAY(RB64_AND(RB64_BUILD(1, 8589934592), RB64_BUILD(8589934592)))|[8589934592]",
        "RB64_TO_ARRAY(RB64_XOR(RB64_BUILD(1, 8589934592), RB64_BUILD(8589934592)))|[1]",
        "RB64_TO_ARRAY(RB64_ANDNOT(RB64_BUILD(1, 8589934592), RB64_BUILD(1)))|[8589934592]",
        "RB64_CONTAINS(RB64_BUILD(8589934592), 8589934592)|true"
      })
  void functionsOfOneRow(String expression, String result) {
    assertThat(String.valueOf(gateway.rows("SELECT " + expression + " AS a").get(0).get(0)))
        .isEqualTo(result);
  }

  @Test
  void rowsOfGroupsMerge() {
    visits();
    assertThat(
            gateway.rows(
                "SELECT channel, RB_CARDINALITY(RB_OR_AGG(b)) AS uv, COUNT(*) AS n FROM visits"
                    + " GROUP BY channel ORDER BY channel"))
        .containsExactly(row("app", 4L, 3L), row("fax", null, 1L), row("web", 3L, 2L));
    assertThat(
            gateway.rows(
                "SELECT RB_TO_ARRAY(RB_OR_AGG(b)), RB_TO_ARRAY(RB_AND_AGG(b)) FROM visits"
                    + " WHERE channel = 'app'"))
        .containsExactly(row(List.of(1L, 2L, 3L, 5L), List.of(2L)));
    assertThat(gateway.rows("SELECT RB_OR_AGG(b), RB_AND_AGG(b) FROM visits WHERE ymd > 9"))
        .containsExactly(row(null, null));
  }

  @Test
  void aggregatesStandWhereAggregatesDo() {
    visits();
    assertThat(
            gateway.rows(
                "SELECT ymd FROM visits GROUP BY ymd HAVING RB_CARDINALITY(RB_OR_AGG(b)) > 3"
                    + " ORDER BY RB_CARDINALITY(RB_OR_AGG(b)) DESC"))
        .containsExactly(row(1));
    assertThat(
            gateway.rows(
                "WITH days AS (SELECT ymd, RB_OR_AGG(b) AS b FROM visits GROUP BY ymd)"
                    + " SELECT RB_TO_ARRAY(RB_AND(x.b, y.b)) FROM days x, days y"
                    + " WHERE x.ymd = 1 AND y.ymd = 2"))
        .containsExactly(row(List.of(2L)));
    assertThat(
            gateway.rows(
                "SELECT RB_CARDINALITY(RB_OR_AGG(CASE WHEN ymd = 2 THEN b END)) FROM visits"))
        .containsExactly(row(2L));
    assertThat(
            gateway.rows(
                "SELECT RB_TO_ARRAY(RB_OR_AGG(RB_BUILD(i))) FROM range(5) AS r(i) WHERE i <> 3"))
        .containsExactly(row(List.of(0L, 1L, 2L, 4L)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "SELECT RB_OR_AGG(DISTINCT b) FROM visits|UNSUPPORTED|RB_OR_AGG takes no DISTINCT",
        "SELECT rb_and_agg(b) FILTER (WHERE ymd = 1) FROM visits|UNSUPPORTED"
            + "|CASE WHEN condition THEN bitmap END",
        "SELECT RB_OR_AGG(b ORDER BY ymd) FROM visits|UNSUPPORTED|takes no ORDER BY",
        "SELECT RB_OR_AGG(b) OVER () FROM visits|UNSUPPORTED|cannot be used with OVER",
        "SELECT main.RB_CARDINALITY(b) FROM visits|UNSUPPORTED|without a schema",
        "SELECT __rb('RB_OR', 'a', 'b', 1)|PERMISSION_DENIED|not allowed",
        "SELECT RB_CARDINALITY(CAST('abc' AS BLOB))|INVALID_VALUE"
            + "|RB_CARDINALITY: the bytes are no bitmap",
        "SELECT RB_OR(RB_BUILD(1), from_base64('AAAA'))|INVALID_VALUE|RB_OR: the bytes",
        "SELECT RB64_CARDINALITY(RB_BUILD(1))|INVALID_VALUE|RB64_CARDINALITY: the bytes",
        "SELECT RB_OR_AGG(x) FROM (VALUES (RB_BUILD(1)), (CAST('x' AS BLOB))) AS t(x)"
            + "|INVALID_VALUE|RB_OR_AGG: the bytes are no bitmap",
        "SELECT RB_BUILD(-1)|INVALID_VALUE|RB_BUILD: a bitmap has whole numbers from 0 to"
            + " 4294967295",
        "SELECT RB_BUILD(4294967296)|INVALID_VALUE|RB64_BUILD takes larger ones",
        "SELECT RB_BUILD(1.5)|INVALID_VALUE|not 1.5",
        "SELECT RB_BUILD('a')|INVALID_VALUE|not a",
        "SELECT RB_TO_ARRAY(RB_OR_AGG(RB_BUILD(i))) FROM range(100001) AS r(i)|INVALID_VALUE"
            + "|RB_TO_ARRAY: the bitmap has 100,001 numbers"
      })
  void whatIsWrongIsSaidWithTheFunction(String sql, ErrorCode code, String message) {
    visits();
    SluiceException failure = gateway.failure(sql);
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure).hasMessageContaining(message);
  }

  @Test
  void numbersAndTextsAreNoBitmaps() {
    for (String wrong : List.of("RB_CARDINALITY(5)", "RB_OR_AGG(5)", "RB_CARDINALITY('a')")) {
      SluiceException failure = gateway.failure("SELECT " + wrong);
      assertThat(failure.code())
          .as(wrong + ": " + failure.getMessage())
          .isIn(ErrorCode.INVALID_SQL, ErrorCode.INVALID_VALUE, ErrorCode.UNSUPPORTED);
      assertThat(failure.getMessage()).containsIgnoringCase("rb_").doesNotContain("__rb");
    }
  }

  @Test
  void groupsHaveABound() {
    SluiceException failure =
        gateway.failure(
            "SELECT RB_CARDINALITY(RB_OR_AGG(RB_BUILD(range(i, i + 600000000, 65536))))"
                + " FROM range(600) AS r(i)");
    assertThat(failure.code())
        .as(failure.getMessage())
        .isIn(ErrorCode.INVALID_VALUE, ErrorCode.QUERY_LIMIT_EXCEEDED);
  }
}
