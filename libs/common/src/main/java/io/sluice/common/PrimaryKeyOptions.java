package io.sluice.common;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The options of primary-key tables as they are set; what they mean together, and with the table's
 * columns, is up to the format library's merge rules. Words are in small letters.
 *
 * @param mergeEngine how rows of one key become one
 * @param versionColumn the column that says which row is newer
 * @param deleteBehavior what a delete does
 * @param changelogImage what the changelog has of a change
 * @param autoIncrement columns that get ids
 * @param idRange the most ids that are granted at once
 * @param rowTtl how long a row lives after its last change, {@link Duration#ZERO} for ever
 */
public record PrimaryKeyOptions(
    Optional<String> mergeEngine,
    Optional<String> versionColumn,
    Optional<String> deleteBehavior,
    Optional<String> changelogImage,
    List<String> autoIncrement,
    int idRange,
    Duration rowTtl) {
  /** How rows of one key become one: first_row, versioned or aggregation, default last row. */
  public static final String MERGE_ENGINE = "table.merge-engine";

  /** The column that says which row is newer, for the versioned merge engine. */
  public static final String VERSION_COLUMN = "table.merge-engine.versioned.ver-column";

  /** What a delete does: allow, ignore or disable. */
  public static final String DELETE_BEHAVIOR = "table.delete.behavior";

  /** What the changelog has of a change: full or wal, default full. */
  public static final String CHANGELOG_IMAGE = "table.changelog.image";

  /** The column that gets ids. */
  public static final String AUTO_INCREMENT = "auto-increment.fields";

  /** The most ids granted to a bucket at once, 1 to {@link #MAX_ID_RANGE}. */
  public static final String ID_RANGE = "table.auto-increment.cache-size";

  /** How long a row lives after its last change, default for ever. */
  public static final String ROW_TTL = "table.kv.ttl";

  /** Format of stored rows; {@code compacted} is the only one. */
  public static final String KV_FORMAT = "table.kv.format";

  /** The ids that are granted at once unless the table says otherwise. */
  public static final int DEFAULT_ID_RANGE = 100_000;

  /** The largest number of ids granted at once. */
  public static final int MAX_ID_RANGE = 10_000_000;

  /** The smallest time to live of a row. */
  public static final Duration MIN_ROW_TTL = Duration.ofSeconds(1);

  /** The largest time to live of a row that does not live for ever. */
  public static final Duration MAX_ROW_TTL = Duration.ofDays(36_500);

  static final Set<String> KEYS =
      Set.of(
          MERGE_ENGINE,
          VERSION_COLUMN,
          DELETE_BEHAVIOR,
          CHANGELOG_IMAGE,
          AUTO_INCREMENT,
          ID_RANGE,
          ROW_TTL,
          KV_FORMAT);

  public PrimaryKeyOptions {
    autoIncrement = List.copyOf(autoIncrement);
  }

  /** Whether an option is for tables with a primary key alone. */
  public static boolean isOne(String key) {
    return KEYS.contains(key) || AggregateOption.of(key).isPresent();
  }

  static PrimaryKeyOptions of(Map<String, String> options) {
    checkFormat(options);
    return new PrimaryKeyOptions(
        word(options, MERGE_ENGINE),
        Optional.ofNullable(options.get(VERSION_COLUMN)).map(String::trim),
        word(options, DELETE_BEHAVIOR),
        word(options, CHANGELOG_IMAGE),
        OptionValues.columns(options, AUTO_INCREMENT),
        OptionValues.integer(options, ID_RANGE, 1, MAX_ID_RANGE, DEFAULT_ID_RANGE),
        OptionValues.timeToLive(options, ROW_TTL, Duration.ZERO, MIN_ROW_TTL, MAX_ROW_TTL));
  }

  private static Optional<String> word(Map<String, String> options, String key) {
    return Optional.ofNullable(OptionValues.word(options, key));
  }

  private static void checkFormat(Map<String, String> options) {
    String format = OptionValues.word(options, KV_FORMAT);
    if (format != null && !format.equals("compacted")) {
      throw OptionValues.invalid(
          KV_FORMAT
              + " is '"
              + options.get(KV_FORMAT)
              + "'; compacted is the only format of rows, or leave it out");
    }
  }
}
