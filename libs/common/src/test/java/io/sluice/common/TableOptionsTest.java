package io.sluice.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableOptionsTest {
  @Test
  void defaultsToOneBucketWithoutKey() {
    TableOptions options = TableOptions.of(Map.of());
    assertThat(options.bucketCount()).isEqualTo(1);
    assertThat(options.bucketKey()).isEmpty();
    assertThat(options.replicationFactor(3)).isEqualTo(3);
  }

  @Test
  void theLakeIsOffUnlessTheOptionsSaySo() {
    TableOptions off = TableOptions.of(Map.of());
    assertThat(off.lakeEnabled()).isFalse();
    assertThat(off.lakeFreshness()).isEqualTo(Duration.ofMinutes(3));
    TableOptions on =
        TableOptions.of(
            Map.of(
                "table.datalake.enabled", "TRUE",
                "table.datalake.freshness", "10s",
                "table.datalake.format", "Iceberg"));
    assertThat(on.lakeEnabled()).isTrue();
    assertThat(TableOptions.lakeEnabled(Map.of("table.datalake.enabled", " True "))).isTrue();
    assertThat(TableOptions.lakeEnabled(Map.of())).isFalse();
    assertThat(on.lakeFreshness()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void readsWhatItHonoursAndKeepsForeignKeys() {
    TableOptions options =
        TableOptions.of(
            Map.of(
                "bucket.num", "4096",
                "bucket.key", "a, b",
                "table.replication.factor", "2",
                "owner", "data team",
                "iceberg.write.format", "parquet"));
    assertThat(options.bucketCount()).isEqualTo(4096);
    assertThat(options.bucketKey()).containsExactly("a", "b");
    assertThat(options.replicationFactor(1)).isEqualTo(2);
    assertThat(options.asMap()).containsEntry("owner", "data team").hasSize(5);
    assertThat(List.copyOf(options.asMap().keySet())).isSorted();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bucket.num|0|bucket.num is 0; it must be between 1 and 4096",
        "bucket.num|-1|bucket.num is -1; it must be between 1 and 4096",
        "bucket.num|5000|bucket.num is 5000; it must be between 1 and 4096",
        "bucket.num|99999999999|bucket.num is 99999999999; it must be between 1 and 4096",
        "bucket.num|four|bucket.num is 'four'; it must be a whole number between 1 and 4096",
        "bucket.key|a,,b|bucket.key is 'a,,b'; it must be column names separated by commas",
        "bucket.key|a,a|bucket.key names column 'a' twice",
        "table.replication.factor|8|" + "table.replication.factor is 8; it must be between 1 and 7",
        "table.datalake.enabled|yes|table.datalake.enabled is 'yes'; it must be true or false",
        "table.datalake.freshness|999ms|table.datalake.freshness is '999ms'; it must be between 1 s"
            + " and 365 d",
        "table.datalake.freshness|366 d|table.datalake.freshness is '366 d'; it must be between 1 s"
            + " and 365 d",
        "table.datalake.freshness|soon|table.datalake.freshness is 'soon'; it must be a duration"
            + " like 500ms, 10s, 3 min, 1h or 7 d (ms, s, min, h, d)",
        "table.datalake.format|paimon|table.datalake.format is 'paimon'; iceberg is the only lake"
            + " format, or leave it out",
        "table.datalake.freshnes|3min|Option table.datalake.freshnes is unknown; did you mean"
            + " table.datalake.freshness?",
        "bucket.nums|4|Option bucket.nums is unknown; did you mean bucket.num?",
        "table.log.tll|7d|Option table.log.tll is unknown; did you mean table.log.ttl?",
        "table.replication-factor|1|Option table.replication-factor is unknown; did you mean"
            + " table.replication.factor?",
        "fields.x.aggregate|sum|Option fields.x.aggregate is unknown; did you mean"
            + " fields.<column>.agg?"
      })
  void refusesBadValuesAndUnknownKeys(String key, String value, String message) {
    SluiceException refused =
        catchThrowableOfType(SluiceException.class, () -> TableOptions.of(Map.of(key, value)));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_OPTION);
    assertThat(refused).hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "table.log.ttl",
        "table.datalake.auto-compaction",
        "table.merge-engine",
        "fields.total.agg",
        "auto-increment.fields"
      })
  void refusesOptionsOfLaterBuildsInsteadOfIgnoringThem(String key) {
    SluiceException refused =
        catchThrowableOfType(SluiceException.class, () -> TableOptions.of(Map.of(key, "x")));
    assertThat(refused.code()).isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(refused).hasMessageContaining(key).hasMessageContaining("not in this build");
  }

  @Test
  void boundsNumberAndSizeOfOptions() {
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 513; i++) {
      many.put("k" + i, "v");
    }
    assertThat(catchThrowableOfType(SluiceException.class, () -> TableOptions.of(many)))
        .hasMessageContaining("513 options");
    assertThat(
            catchThrowableOfType(
                SluiceException.class,
                () -> TableOptions.of(Map.of("k", "v".repeat(32 * 1024 + 1)))))
        .hasMessageContaining("32769 characters");
  }
}
