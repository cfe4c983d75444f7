package io.sluice.format.partition;

import io.sluice.common.AutoPartitionOptions;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.TableSchema;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the partitions of a table follow the time: one partition for each hour, day, month, quarter
 * or year of the table's time zone, made ahead and dropped when they are past their retention.
 * Immutable.
 */
public final class AutoPartition {
  /** How many units ahead of the current one a partition may be. */
  public static final int MAX_UNITS_AHEAD = 1_000;

  private static final int DEFAULT_PRECREATE = 2;
  private static final int DEFAULT_RETENTION = 7;
  private static final String DATE_FORMAT = "yyyy-MM-dd";

  private final String key;
  private final int keyPosition;
  private final TimeUnit unit;
  private final TimeFormat format;
  private final ZoneId zone;
  private final int precreate;
  private final int retention;

  private AutoPartition(
      String key,
      int keyPosition,
      TimeUnit unit,
      TimeFormat format,
      int precreate,
      AutoPartitionOptions options) {
    this.key = key;
    this.keyPosition = keyPosition;
    this.unit = unit;
    this.format = format;
    this.zone = zone(options.timeZone().orElse("UTC"));
    this.precreate = precreate;
    this.retention = options.retention().orElse(DEFAULT_RETENTION);
  }

  /**
   * What the options of a table say, empty when auto-partitioning is off.
   *
   * @param schema the table's columns
   * @param partitionKeys names of the partition columns in order
   * @param tableOptions all options of the table
   * @throws SluiceException INVALID_OPTION when it is on and an option does not fit the table; also
   *     like {@link TableOptions#of}
   */
  public static Optional<AutoPartition> of(
      TableSchema schema, List<String> partitionKeys, Map<String, String> tableOptions) {
    AutoPartitionOptions options = TableOptions.of(tableOptions).autoPartition();
    if (!options.enabled()) {
      return Optional.empty();
    }
    if (partitionKeys.isEmpty()) {
      throw invalid(
          AutoPartitionOptions.ENABLED
              + " is true; it needs a partitioned table, and this one has no partition column");
    }
    String key = key(partitionKeys, options);
    TimeUnit unit = TimeUnit.of(AutoPartitionOptions.TIME_UNIT, options.timeUnit().orElse("DAY"));
    TimeFormat format = format(schema, key, unit, options.timeFormat().orElse(null));
    int precreate = precreate(partitionKeys, options);
    return Optional.of(
        new AutoPartition(key, partitionKeys.indexOf(key), unit, format, precreate, options));
  }

  private static String key(List<String> partitionKeys, AutoPartitionOptions options) {
    String key = options.key().orElse(null);
    if (key == null) {
      if (partitionKeys.size() > 1) {
        throw invalid(
            AutoPartitionOptions.KEY
                + " is not set; with several partition columns it must be one of "
                + partitionKeys);
      }
      return partitionKeys.get(0);
    }
    if (!partitionKeys.contains(key)) {
      throw invalid(
          AutoPartitionOptions.KEY
              + " is '"
              + key
              + "'; it must be a partition column: "
              + partitionKeys);
    }
    return key;
  }

  private static int precreate(List<String> partitionKeys, AutoPartitionOptions options) {
    if (partitionKeys.size() == 1) {
      return options.precreate().orElse(DEFAULT_PRECREATE);
    }
    int precreate = options.precreate().orElse(0);
    if (precreate != 0) {
      throw invalid(
          AutoPartitionOptions.PRECREATE
              + " is "
              + precreate
              + "; with several partition columns it must be 0, since only the time is known ahead");
    }
    return 0;
  }

  private static TimeFormat format(
      TableSchema schema, String key, TimeUnit unit, @Nullable String given) {
    String option = AutoPartitionOptions.TIME_FORMAT;
    DataType type = schema.column(key).type();
    if (type instanceof DateType) {
      if (unit != TimeUnit.DAY || (given != null && !given.equals(DATE_FORMAT))) {
        throw invalid(
            "Partition column '"
                + key
                + "' is a DATE; "
                + AutoPartitionOptions.TIME_UNIT
                + " must be DAY and "
                + option
                + " "
                + DATE_FORMAT);
      }
      return TimeFormat.of(option, unit, DATE_FORMAT);
    }
    TimeFormat format = TimeFormat.of(option, unit, given == null ? unit.defaultFormat() : given);
    boolean fits =
        type instanceof StringType
            || (type instanceof CharType text && text.length() >= format.pattern().length());
    if (!fits) {
      throw invalid(
          "Partition column '"
              + key
              + "' is "
              + type
              + "; auto-partitioning needs STRING, DATE, or CHAR of at least "
              + format.pattern().length()
              + " characters");
    }
    return format;
  }

  /** Name of the partition column that has the time. */
  public String key() {
    return key;
  }

  /** Position of {@link #key} among the partition columns. */
  public int keyPosition() {
    return keyPosition;
  }

  /** Format of the values. */
  public String format() {
    return format.pattern();
  }

  /** Units that exist ahead, the current one included. */
  public int precreate() {
    return precreate;
  }

  /** The value of the unit that an instant lies in, on the clock of the table's zone. */
  public String valueOf(Instant time) {
    return format.text(index(time));
  }

  /**
   * Returns the value, or throws INVALID_PARTITION with the expected format and range when it is
   * malformed, past its retention, or more than {@value #MAX_UNITS_AHEAD} units ahead.
   */
  public String check(String value, Instant now) {
    OptionalLong index = format.parse(value);
    if (index.isEmpty()) {
      throw refused(value, "is malformed", now);
    }
    if (tooOld(index.getAsLong(), now)) {
      throw refused(value, "is expired", now);
    }
    if (index.getAsLong() > index(now) + MAX_UNITS_AHEAD) {
      throw refused(value, "is too far ahead", now);
    }
    return value;
  }

  private SluiceException refused(String value, String why, Instant now) {
    long first = index(now) - retention;
    // Years before the first have no text.
    boolean any = retention < 0 || unit.start(first).getYear() < 1;
    String oldest = any ? "any past " + unit : "'" + format.text(first) + "'";
    return new SluiceException(
        ErrorCode.INVALID_PARTITION,
        "Partition value '"
            + (value.length() <= 64 ? value : value.substring(0, 61) + "...")
            + "' of column '"
            + key
            + "' "
            + why
            + "; expected "
            + format.pattern()
            + ", from "
            + oldest
            + " to '"
            + format.text(index(now) + MAX_UNITS_AHEAD)
            + "' (now is '"
            + valueOf(now)
            + "' in "
            + zone
            + ")");
  }

  /**
   * The values that are to exist now: the current unit and those after it. An hour that the clock
   * of the zone leaves out is left out here too, one that it runs through twice is one value.
   */
  public List<String> toCreate(Instant now) {
    Set<String> values = new LinkedHashSet<>();
    if (unit == TimeUnit.HOUR) {
      for (ZonedDateTime time = now.atZone(zone);
          values.size() < precreate;
          time = time.plusHours(1)) {
        values.add(valueOf(time.toInstant()));
      }
    } else {
      for (long index = index(now); values.size() < precreate; index++) {
        values.add(format.text(index));
      }
    }
    return new ArrayList<>(values);
  }

  /** Whether a value is past its retention. One that is no value of the format never is. */
  public boolean expired(String value, Instant now) {
    OptionalLong index = format.parse(value);
    return index.isPresent() && tooOld(index.getAsLong(), now);
  }

  private boolean tooOld(long index, Instant now) {
    return retention >= 0 && index < index(now) - retention;
  }

  private long index(Instant now) {
    return unit.index(LocalDateTime.ofInstant(now, zone));
  }

  private static ZoneId zone(String text) {
    try {
      return ZoneId.of(text);
    } catch (DateTimeException e) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          AutoPartitionOptions.TIME_ZONE
              + " is '"
              + text
              + "'; it must be a zone like UTC, Europe/Berlin or +05:45",
          e);
    }
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_OPTION, message);
  }
}
