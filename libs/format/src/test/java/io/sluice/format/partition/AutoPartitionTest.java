package io.sluice.format.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.AutoPartitionOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class AutoPartitionTest {
  private static final Instant NOON = Instant.parse("2024-03-25T12:00:00Z");

  private static TableSchema schema(String type) {
    return new TableSchema(
        1,
        List.of(
            Column.of(1, "dt", DataTypeParser.parse(type), false),
            Column.of(2, "region", DataTypeParser.parse("STRING"), false)),
        List.of());
  }

  private static AutoPartition of(String type, String... options) {
    return AutoPartition.of(schema(type), List.of("dt"), options(options)).orElseThrow();
  }

  private static Map<String, String> options(String... pairs) {
    Map<String, String> options = new HashMap<>();
    options.put(AutoPartitionOptions.ENABLED, "true");
    for (int i = 0; i < pairs.length; i += 2) {
      options.put("table.auto-partition." + pairs[i], pairs[i + 1]);
    }
    return options;
  }

  private static void refused(ErrorCode code, ThrowingCallable call, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, failure -> assertThat(failure.code()).isEqualTo(code))
        .message()
        .contains(parts);
  }

  @Test
  void isOffUnlessEnabled() {
    assertThat(AutoPartition.of(schema("STRING"), List.of("dt"), Map.of())).isEmpty();
    assertThat(
            AutoPartition.of(
                schema("STRING"), List.of(), Map.of("table.auto-partition.enabled", "false")))
        .isEmpty();
  }

  @Test
  void everyUnitHasItsFormat() {
    Map<String, String> expected =
        Map.of(
            "HOUR", "2024032512",
            "DAY", "20240325",
            "MONTH", "202403",
            "QUARTER", "20241",
            "YEAR", "2024");
    expected.forEach(
        (unit, value) -> {
          AutoPartition partition = of("STRING", "time-unit", unit);
          assertThat(partition.valueOf(NOON)).isEqualTo(value);
          assertThat(partition.check(value, NOON)).isEqualTo(value);
          assertThat(partition.toCreate(NOON)).hasSize(2).first().isEqualTo(value);
        });
  }

  @Test
  void isDailyInUtcAndKeepsAWeekUnlessToldOtherwise() {
    Instant midnight = Instant.parse("2024-03-25T00:00:00Z");
    assertThat(of("STRING").valueOf(midnight.minusMillis(1))).isEqualTo("20240324");
    assertThat(of("STRING").valueOf(midnight)).isEqualTo("20240325");
    assertThat(of("STRING").expired("20240317", midnight)).isTrue();
    assertThat(of("STRING").expired("20240318", midnight)).isFalse();
  }

  @Test
  void unitsFollowOneAnotherAcrossTheirBoundaries() {
    Instant end = Instant.parse("2024-12-31T23:30:00Z");
    assertThat(of("STRING", "time-unit", "hour", "num-precreate", "3").toCreate(end))
        .containsExactly("2024123123", "2025010100", "2025010101");
    assertThat(of("STRING", "num-precreate", "2").toCreate(end))
        .containsExactly("20241231", "20250101");
    assertThat(of("STRING", "time-unit", "MONTH").toCreate(end))
        .containsExactly("202412", "202501");
    assertThat(of("STRING", "time-unit", "QUARTER", "num-precreate", "6").toCreate(end))
        .containsExactly("20244", "20251", "20252", "20253", "20254", "20261");
    assertThat(of("STRING", "time-unit", "YEAR").toCreate(end)).containsExactly("2024", "2025");
    assertThat(of("STRING", "num-precreate", "0").toCreate(end)).isEmpty();
  }

  @Test
  void todayFollowsTheZoneOfTheTable() {
    // 18:15 UTC is midnight in Kathmandu, which is 5:45 ahead.
    AutoPartition kathmandu = of("STRING", "time-zone", "Asia/Kathmandu", "num-precreate", "1");
    assertThat(kathmandu.toCreate(Instant.parse("2024-03-25T18:14:59Z")))
        .containsExactly("20240325");
    assertThat(kathmandu.toCreate(Instant.parse("2024-03-25T18:15:00Z")))
        .containsExactly("20240326");
    assertThat(kathmandu.valueOf(Instant.parse("2024-03-25T19:00:00Z"))).isEqualTo("20240326");
    AutoPartition offset = of("STRING", "time-zone", "-09:30");
    assertThat(offset.valueOf(Instant.parse("2024-03-25T09:29:59Z"))).isEqualTo("20240324");
  }

  @Test
  void hoursThatTheClockSkipsOrRepeatsAreNeitherMadeNorMadeTwice() {
    AutoPartition berlin =
        of("STRING", "time-unit", "HOUR", "time-zone", "Europe/Berlin", "num-precreate", "3");
    // 2024-03-31: 02:00 does not exist. 2024-10-27: 02:00 comes twice.
    assertThat(berlin.toCreate(Instant.parse("2024-03-31T00:30:00Z")))
        .containsExactly("2024033101", "2024033103", "2024033104");
    assertThat(berlin.toCreate(Instant.parse("2024-10-27T00:30:00Z")))
        .containsExactly("2024102702", "2024102703", "2024102704");
    assertThat(berlin.valueOf(Instant.parse("2024-10-27T00:30:00Z")))
        .isEqualTo(berlin.valueOf(Instant.parse("2024-10-27T01:30:00Z")));
  }

  @Test
  void aDayWithoutMidnightIsStillOneDay() {
    // In Beirut the clock went from 2024-03-30T24:00 to 01:00.
    AutoPartition beirut = of("STRING", "time-zone", "Asia/Beirut", "num-precreate", "3");
    assertThat(beirut.toCreate(Instant.parse("2024-03-30T21:59:00Z")))
        .containsExactly("20240330", "20240331", "20240401");
  }

  @Test
  void malformedValuesAreRefusedWithTheFormatAndTheRange() {
    AutoPartition daily = of("STRING", "time-zone", "Asia/Kathmandu");
    List<String> malformed =
        List.of(
            "2024-03-25",
            "20240230",
            "20230229",
            "20241301",
            "20240001",
            "20240100",
            "",
            "2024032",
            "202403251",
            " 20240325",
            "+2024032",
            "abcdefgh",
            "２０２４0325",
            "00000101",
            "2024 325");
    for (String value : malformed) {
      refused(
          ErrorCode.INVALID_PARTITION,
          () -> daily.check(value, NOON),
          "'" + value + "'",
          "dt",
          "malformed",
          "yyyyMMdd",
          "'20240318'",
          "Asia/Kathmandu");
    }
    assertThat(daily.check("20240229", Instant.parse("2024-03-01T00:00:00Z")))
        .isEqualTo("20240229");
  }

  @Test
  void quartersAndHoursAreStrictToo() {
    AutoPartition quarterly = of("STRING", "time-unit", "QUARTER");
    for (String value : List.of("20240", "20245", "2024", "2024Q1", "202401")) {
      refused(ErrorCode.INVALID_PARTITION, () -> quarterly.check(value, NOON), "yyyyQ");
    }
    AutoPartition hourly = of("STRING", "time-unit", "HOUR");
    for (String value : List.of("2024032524", "20240325-1", "2024032")) {
      refused(ErrorCode.INVALID_PARTITION, () -> hourly.check(value, NOON), "yyyyMMddHH");
    }
  }

  @Test
  void valuesPastTheRetentionOrTooFarAheadAreRefused() {
    AutoPartition daily = of("STRING");
    assertThat(daily.check("20240318", NOON)).isEqualTo("20240318");
    refused(
        ErrorCode.INVALID_PARTITION,
        () -> daily.check("20240317", NOON),
        "expired",
        "'20240318'",
        "'20261220'");
    refused(ErrorCode.INVALID_PARTITION, () -> daily.check("20200101", NOON), "expired");
    assertThat(daily.check("20261220", NOON)).isEqualTo("20261220");
    refused(ErrorCode.INVALID_PARTITION, () -> daily.check("20261221", NOON), "too far ahead");
    refused(ErrorCode.INVALID_PARTITION, () -> daily.check("20990101", NOON), "too far ahead");
  }

  @Test
  void aNegativeRetentionKeepsAll() {
    AutoPartition ever = of("STRING", "num-retention", "-1");
    assertThat(ever.check("00010101", NOON)).isEqualTo("00010101");
    assertThat(ever.expired("20000101", NOON)).isFalse();
    refused(ErrorCode.INVALID_PARTITION, () -> ever.check("20990101", NOON), "any past DAY");
  }

  @Test
  void expiredAreThoseBeforeTheRetentionAndNoOthers() {
    AutoPartition daily = of("STRING", "num-retention", "1");
    assertThat(
            Stream.of("20240323", "20240324", "20240325", "20240326", "by hand", "20240230")
                .filter(value -> daily.expired(value, NOON)))
        .containsExactly("20240323");
    AutoPartition none = of("STRING", "num-retention", "0");
    assertThat(none.expired("20240324", NOON)).isTrue();
    assertThat(none.expired("20240325", NOON)).isFalse();
  }

  @Test
  void aFormatMayHaveSeparators() {
    AutoPartition slashed = of("STRING", "time-format", "yyyy/MM/dd");
    assertThat(slashed.valueOf(NOON)).isEqualTo("2024/03/25");
    assertThat(slashed.check("2024/03/25", NOON)).isEqualTo("2024/03/25");
    refused(ErrorCode.INVALID_PARTITION, () -> slashed.check("2024-03-25", NOON), "yyyy/MM/dd");
    for (String format : List.of("yyyyMM", "MMddyyyy", "yyyyMMddHH", "yyMMdd", "yyyyMMd", "")) {
      refused(
          ErrorCode.INVALID_OPTION,
          () -> of("STRING", "time-format", format),
          "time-format",
          "yyyy, MM, dd");
    }
  }

  @Test
  void aDateColumnIsDaily() {
    AutoPartition dates = of("DATE");
    assertThat(dates.valueOf(NOON)).isEqualTo("2024-03-25");
    assertThat(dates.toCreate(NOON)).containsExactly("2024-03-25", "2024-03-26");
    refused(ErrorCode.INVALID_OPTION, () -> of("DATE", "time-unit", "MONTH"), "is a DATE", "DAY");
    refused(ErrorCode.INVALID_OPTION, () -> of("DATE", "time-format", "yyyyMMdd"), "yyyy-MM-dd");
  }

  @Test
  void onlyTextAndDatesHaveTheTime() {
    refused(ErrorCode.INVALID_OPTION, () -> of("INT"), "'dt' is INT", "STRING, DATE");
    refused(ErrorCode.INVALID_OPTION, () -> of("CHAR(7)"), "8 characters");
    assertThat(of("CHAR(8)").valueOf(NOON)).isEqualTo("20240325");
  }

  @Test
  void severalColumnsNeedAKeyAndMakeNothingAhead() {
    List<String> both = List.of("region", "dt");
    refused(
        ErrorCode.INVALID_OPTION,
        () -> AutoPartition.of(schema("STRING"), both, options()),
        "auto-partition.key",
        "region");
    AutoPartition partition =
        AutoPartition.of(schema("STRING"), both, options("key", "dt")).orElseThrow();
    assertThat(partition.keyPosition()).isEqualTo(1);
    assertThat(partition.precreate()).isZero();
    assertThat(partition.toCreate(NOON)).isEmpty();
    refused(
        ErrorCode.INVALID_OPTION,
        () -> AutoPartition.of(schema("STRING"), both, options("key", "dt", "num-precreate", "1")),
        "num-precreate",
        "must be 0");
    refused(
        ErrorCode.INVALID_OPTION,
        () -> AutoPartition.of(schema("STRING"), both, options("key", "id")),
        "'id'");
  }

  @Test
  void wrongOptionsAreNamed() {
    refused(
        ErrorCode.INVALID_OPTION,
        () -> AutoPartition.of(schema("STRING"), List.of(), options()),
        "no partition column");
    refused(ErrorCode.INVALID_OPTION, () -> of("STRING", "time-unit", "WEEK"), "WEEK", "HOUR");
    refused(ErrorCode.INVALID_OPTION, () -> of("STRING", "time-zone", "Mars/Base"), "Mars/Base");
    refused(ErrorCode.INVALID_OPTION, () -> of("STRING", "num-precreate", "x"), "'x'");
    refused(ErrorCode.INVALID_OPTION, () -> of("STRING", "num-precreate", "-1"), "-1");
    refused(ErrorCode.INVALID_OPTION, () -> of("STRING", "num-retention", "-2"), "-2");
    refused(
        ErrorCode.INVALID_OPTION,
        () ->
            AutoPartition.of(
                schema("STRING"), List.of("dt"), Map.of(AutoPartitionOptions.ENABLED, "yes")),
        "yes");
  }

  @Test
  void aRetentionBeyondTheFirstYearIsNotShownAsAYear() {
    AutoPartition years = of("STRING", "time-unit", "YEAR", "num-retention", "5000");
    refused(ErrorCode.INVALID_PARTITION, () -> years.check("x", NOON), "any past YEAR", "3024");
    assertThat(years.check("0001", NOON)).isEqualTo("0001");
  }
}
