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
        "table.log.ttl|999ms|table.log.ttl is '999ms'; it must be between 1 s and 36500 d, or none"
            + " to keep rows for ever",
        "table.log.ttl|week|table.log.ttl is 'week'; it must be a duration like 500ms, 10s, 3 min,"
            + " 1h or 7 d (ms, s, min, h, d)",
        "table.log.format|indexed|table.log.format is 'indexed'; arrow is the only log format, or"
            + " leave it out",
        "table.log.arrow.compression.type|snappy|table.log.arrow.compression.type is 'snappy'; it"
            + " must be none, lz4 (or lz4_frame) or zstd",
        "table.log.arrow.compression.zstd.level|23|table.log.arrow.compression.zstd.level is 23; it"
            + " must be between 1 and 22",
        "table.statistics.columns|a,,b|table.statistics.columns is 'a,,b'; it must be column names"
            + " separated by commas",
        "table.auto-partition.enabled|on|table.auto-partition.enabled is 'on'; it must be true or"
            + " false",
        "table.auto-partition.num-precreate|-1|table.auto-partition.num-precreate is -1; it must be"
            + " between 0 and 500",
        "table.auto-partition.num-retention|-2|table.auto-partition.num-retention is -2; it must be"
            + " between -1 and 1000000",
        "table.kv.ttl|999|table.kv.ttl is '999'; it must be between 1 s and 36500 d, or none to keep"
            + " rows for ever",
        "table.kv.format|indexed|table.kv.format is 'indexed'; compacted is the only format of"
            + " rows, or leave it out",
        "table.auto-increment.cache-size|0|table.auto-increment.cache-size is 0; it must be between"
            + " 1 and 10000000",
        "auto-increment.fields|a,,b|auto-increment.fields is 'a,,b'; it must be column names"
            + " separated by commas",
        "table.merge-engines|x|Option table.merge-engines is unknown; did you mean"
            + " table.merge-engine?",
        "fields.a.agg.delimitr|;|Option fields.a.agg.delimitr is unknown; did you mean"
            + " fields.<column>.agg.delimiter?",
        "fields..agg|sum|Option fields..agg is unknown; did you mean fields.<column>.agg?",
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

  @Test
  void readsTheOptionsOfTheLog() {
    TableOptions unset = TableOptions.of(Map.of());
    assertThat(unset.logTtl()).isEqualTo(Duration.ofDays(7));
    assertThat(unset.compressionType()).isEmpty();
    assertThat(unset.zstdLevel()).isEmpty();
    assertThat(unset.statisticsColumns()).isEqualTo(StatisticsColumns.UNSET);
    assertThat(unset.autoPartition().enabled()).isFalse();
    TableOptions set =
        TableOptions.of(
            Map.of(
                "table.log.ttl", "90 min",
                "table.log.format", "ARROW",
                "table.log.arrow.compression.type", "LZ4",
                "table.log.arrow.compression.zstd.level", "3",
                "table.statistics.columns", "a, b"));
    assertThat(set.logTtl()).isEqualTo(Duration.ofMinutes(90));
    assertThat(set.compressionType()).hasValue("lz4_frame");
    assertThat(set.zstdLevel()).hasValue(3);
    assertThat(set.statisticsColumns().choice()).isEqualTo(StatisticsColumns.Choice.NAMED);
    assertThat(set.statisticsColumns().names()).containsExactly("a", "b");
    assertThat(TableOptions.of(Map.of("table.statistics.columns", "*")).statisticsColumns())
        .isEqualTo(new StatisticsColumns(StatisticsColumns.Choice.ALL, List.of()));
    assertThat(TableOptions.of(Map.of("table.statistics.columns", "NONE")).statisticsColumns())
        .isEqualTo(new StatisticsColumns(StatisticsColumns.Choice.NONE, List.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "none", "0 d", "None"})
  void keepsTheLogForEverWhenTheTimeToLiveIsNone(String ttl) {
    assertThat(TableOptions.of(Map.of("table.log.ttl", ttl)).logTtl()).isEqualTo(Duration.ZERO);
  }

  @Test
  void readsTheOptionsOfAutomaticPartitioning() {
    AutoPartitionOptions options =
        TableOptions.of(
                Map.of(
                    "table.auto-partition.enabled", "true",
                    "table.auto-partition.key", "dt",
                    "table.auto-partition.time-unit", "hour",
                    "table.auto-partition.time-zone", " Asia/Kathmandu ",
                    "table.auto-partition.time-format", "yyyyMMddHH",
                    "table.auto-partition.num-precreate", "0",
                    "table.auto-partition.num-retention", "-1"))
            .autoPartition();
    assertThat(options.enabled()).isTrue();
    assertThat(options.key()).hasValue("dt");
    assertThat(options.timeUnit()).hasValue("hour");
    assertThat(options.timeZone()).hasValue("Asia/Kathmandu");
    assertThat(options.timeFormat()).hasValue("yyyyMMddHH");
    assertThat(options.precreate()).hasValue(0);
    assertThat(options.retention()).hasValue(-1);
  }

  @Test
  void readsTheOptionsOfPrimaryKeyTables() {
    PrimaryKeyOptions unset = TableOptions.of(Map.of()).primaryKey();
    assertThat(unset.mergeEngine()).isEmpty();
    assertThat(unset.autoIncrement()).isEmpty();
    assertThat(unset.idRange()).isEqualTo(100_000);
    assertThat(unset.rowTtl()).isEqualTo(Duration.ZERO);
    PrimaryKeyOptions set =
        TableOptions.of(
                Map.of(
                    "table.merge-engine", " Versioned ",
                    "table.merge-engine.versioned.ver-column", " V ",
                    "table.delete.behavior", "IGNORE",
                    "table.changelog.image", "WAL",
                    "auto-increment.fields", "id",
                    "table.auto-increment.cache-size", "10000000",
                    "table.kv.ttl", "1 h",
                    "table.kv.format", "COMPACTED"))
            .primaryKey();
    assertThat(set.mergeEngine()).hasValue("versioned");
    assertThat(set.versionColumn()).hasValue("V");
    assertThat(set.deleteBehavior()).hasValue("ignore");
    assertThat(set.changelogImage()).hasValue("wal");
    assertThat(set.autoIncrement()).containsExactly("id");
    assertThat(set.idRange()).isEqualTo(10_000_000);
    assertThat(set.rowTtl()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void knowsTheOptionsOfFunctionsOfColumnsWithAnyName() {
    for (String column : List.of("a", "a.agg", "a.agg.delimiter", "fields.b", "ü x", "agg")) {
      for (AggregateOption.Part part : AggregateOption.Part.values()) {
        AggregateOption option = new AggregateOption(column, part);
        assertThat(AggregateOption.of(option.key())).as(option.key()).hasValue(option);
        assertThat(PrimaryKeyOptions.isOne(option.key())).isTrue();
      }
    }
    assertThat(AggregateOption.function("a")).isEqualTo("fields.a.agg");
    for (String key : List.of("fields.agg", "fields..agg", "field.a.agg", "fields.a.agg.", "agg")) {
      assertThat(AggregateOption.of(key)).as(key).isEmpty();
    }
    assertThat(PrimaryKeyOptions.isOne("table.kv.ttl")).isTrue();
    assertThat(PrimaryKeyOptions.isOne("table.log.ttl")).isFalse();
  }

  @Test
  void manyColumnsMayHaveFunctions() {
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 4096; i++) {
      many.put("fields.c" + i + ".agg", "sum");
    }
    many.put("fields." + "c".repeat(255) + ".agg.on-overflow", "refuse");
    assertThat(TableOptions.of(many).asMap()).hasSize(4097);
  }

  @Test
  void knowsWhatMayBeChangedOnAnExistingTable() {
    assertThat(TableOptions.isAlterable("table.log.ttl")).isTrue();
    assertThat(TableOptions.isAlterable("owner")).isTrue();
    assertThat(TableOptions.isAlterable("table.kv.ttl")).isTrue();
    assertThat(TableOptions.isAlterable("table.auto-increment.cache-size")).isTrue();
    assertThat(TableOptions.isAlterable("table.merge-engine")).isFalse();
    assertThat(TableOptions.isAlterable("fields.a.agg")).isFalse();
    assertThat(TableOptions.isAlterable("bucket.num")).isFalse();
    assertThat(TableOptions.isAlterable("table.datalake.enabled")).isFalse();
    assertThat(TableOptions.isAlterable("table.auto-partition.time-zone")).isFalse();
    assertThat(TableOptions.alterable()).isSorted().contains("table.log.ttl");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "table.datalake.auto-compaction",
        "table.kv.format-version",
        "table.kv.standby-replica.enabled"
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

  @ParameterizedTest
  @CsvSource({
    "field.v.agg, fields.v.agg",
    "TABLE.MERGE-ENGINE, table.merge-engine",
    "kv.ttl, table.kv.ttl",
    "merge_engine, table.merge-engine",
    "auto_increment.fields, auto-increment.fields"
  })
  void aMisspeltOptionIsNotTakenForAPropertyOfTheUsers(String key, String meant) {
    SluiceException refused =
        catchThrowableOfType(SluiceException.class, () -> TableOptions.of(Map.of(key, "x")));
    assertThat(refused)
        .hasMessage(
            "Option "
                + key
                + " is unknown; did you mean "
                + meant
                + "? A property of your own needs a name that is not like one of Sluice's");
  }
}
