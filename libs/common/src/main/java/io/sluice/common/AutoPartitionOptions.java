package io.sluice.common;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The {@code table.auto-partition.*} options as they are set; what they mean together, and with the
 * table's columns, is up to the format library's automatic partitioning.
 *
 * @param enabled whether partitions are created and dropped with time
 * @param key the time column; needed when there are several partition columns
 * @param timeUnit HOUR, DAY, MONTH, QUARTER or YEAR
 * @param timeZone name of a time zone
 * @param timeFormat pattern of the values
 * @param precreate partitions to create ahead, from 0
 * @param retention units to keep, -1 for ever
 */
public record AutoPartitionOptions(
    boolean enabled,
    Optional<String> key,
    Optional<String> timeUnit,
    Optional<String> timeZone,
    Optional<String> timeFormat,
    OptionalInt precreate,
    OptionalInt retention) {
  /** Whether partitions are created and dropped with time, default false. */
  public static final String ENABLED = "table.auto-partition.enabled";

  /** The time column, for tables with several partition columns. */
  public static final String KEY = "table.auto-partition.key";

  /** HOUR, DAY, MONTH, QUARTER or YEAR, default DAY. */
  public static final String TIME_UNIT = "table.auto-partition.time-unit";

  /** Name of a time zone, default UTC. */
  public static final String TIME_ZONE = "table.auto-partition.time-zone";

  /** Pattern of the values; the default depends on the unit. */
  public static final String TIME_FORMAT = "table.auto-partition.time-format";

  /** Partitions to create ahead, default 2, or 0 when there are several partition columns. */
  public static final String PRECREATE = "table.auto-partition.num-precreate";

  /** Units to keep, -1 for ever, default 7. */
  public static final String RETENTION = "table.auto-partition.num-retention";

  /** The largest number of partitions created ahead. */
  public static final int MAX_PRECREATE = 500;

  /** The largest number of units kept. */
  public static final int MAX_RETENTION = 1_000_000;

  static AutoPartitionOptions of(Map<String, String> options) {
    return new AutoPartitionOptions(
        OptionValues.truth(options, ENABLED),
        text(options.get(KEY)),
        text(options.get(TIME_UNIT)),
        text(options.get(TIME_ZONE)),
        text(options.get(TIME_FORMAT)),
        number(options, PRECREATE, 0, MAX_PRECREATE),
        number(options, RETENTION, -1, MAX_RETENTION));
  }

  private static Optional<String> text(@Nullable String value) {
    return Optional.ofNullable(value).map(String::trim);
  }

  private static OptionalInt number(Map<String, String> options, String key, int min, int max) {
    return options.containsKey(key)
        ? OptionalInt.of(OptionValues.integer(options, key, min, max, min))
        : OptionalInt.empty();
  }
}
