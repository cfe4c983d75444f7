package io.sluice.common;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The options of a table, checked. Keys in the namespaces {@code bucket.}, {@code table.}, {@code
 * fields.} and {@code auto-increment.} belong to Sluice: an unknown one is refused with the nearest
 * known key, one that the design knows but this build does not honour is refused as UNSUPPORTED
 * instead of being ignored. Any other key is a property of the user's and kept as it is.
 */
public final class TableOptions {
  /** Number of buckets, 1 to {@link #MAX_BUCKETS}, default 1. */
  public static final String BUCKET_NUM = "bucket.num";

  /** Comma-separated names of the columns that choose the bucket; default none. */
  public static final String BUCKET_KEY = "bucket.key";

  /** Number of replicas of each bucket; the default is the cluster's. */
  public static final String REPLICATION_FACTOR = "table.replication.factor";

  /** Whether the table is copied to the lake, {@code true} or {@code false}, default false. */
  public static final String DATALAKE_ENABLED = "table.datalake.enabled";

  /** How old the lake may be, at least {@link #MIN_FRESHNESS}, default 3 min. */
  public static final String DATALAKE_FRESHNESS = "table.datalake.freshness";

  /** Format of the lake table; {@code iceberg} is the only one. */
  public static final String DATALAKE_FORMAT = "table.datalake.format";

  /** How long the log is kept, default 7 d; {@code 0} or {@code none} is for ever. */
  public static final String LOG_TTL = "table.log.ttl";

  /** Format of the log; {@code arrow} is the only one. */
  public static final String LOG_FORMAT = "table.log.format";

  /** Compression of the log: {@code none}, {@code lz4} or {@code zstd}. */
  public static final String COMPRESSION_TYPE = "table.log.arrow.compression.type";

  /** Level of zstd, 1 to {@link #MAX_ZSTD_LEVEL}. */
  public static final String ZSTD_LEVEL = "table.log.arrow.compression.zstd.level";

  /** Columns with statistics: {@code *}, {@code none}, or names separated by commas. */
  public static final String STATISTICS_COLUMNS = "table.statistics.columns";

  /** The largest level of zstd. */
  public static final int MAX_ZSTD_LEVEL = 22;

  /** How long a log is kept unless the table says otherwise. */
  public static final Duration DEFAULT_LOG_TTL = Duration.ofDays(7);

  /** The smallest time to live of a log. */
  public static final Duration MIN_LOG_TTL = Duration.ofSeconds(1);

  /** The largest time to live of a log that is not for ever. */
  public static final Duration MAX_LOG_TTL = Duration.ofDays(36_500);

  /** The smallest freshness. */
  public static final Duration MIN_FRESHNESS = Duration.ofSeconds(1);

  /** The largest freshness. */
  public static final Duration MAX_FRESHNESS = Duration.ofDays(365);

  private static final Duration DEFAULT_FRESHNESS = Duration.ofMinutes(3);

  /** The most buckets a table may have. */
  public static final int MAX_BUCKETS = 4096;

  /** The largest replication factor. */
  public static final int MAX_REPLICATION_FACTOR = 7;

  private static final int MAX_OPTIONS = 512;
  private static final int MAX_FIELD_OPTIONS = 12_288;
  private static final int MAX_KEY_LENGTH = 320;
  private static final int MAX_VALUE_LENGTH = 32 * 1024;

  private static final Set<String> HONOURED =
      Set.of(
          BUCKET_NUM,
          BUCKET_KEY,
          REPLICATION_FACTOR,
          DATALAKE_ENABLED,
          DATALAKE_FRESHNESS,
          DATALAKE_FORMAT,
          LOG_TTL,
          LOG_FORMAT,
          COMPRESSION_TYPE,
          ZSTD_LEVEL,
          STATISTICS_COLUMNS,
          AutoPartitionOptions.ENABLED,
          AutoPartitionOptions.KEY,
          AutoPartitionOptions.TIME_UNIT,
          AutoPartitionOptions.TIME_ZONE,
          AutoPartitionOptions.TIME_FORMAT,
          AutoPartitionOptions.PRECREATE,
          AutoPartitionOptions.RETENTION);

  private static final Set<String> ALTERABLE =
      Set.of(
          REPLICATION_FACTOR,
          LOG_TTL,
          COMPRESSION_TYPE,
          ZSTD_LEVEL,
          STATISTICS_COLUMNS,
          AutoPartitionOptions.ENABLED,
          AutoPartitionOptions.PRECREATE,
          AutoPartitionOptions.RETENTION,
          PrimaryKeyOptions.ID_RANGE,
          PrimaryKeyOptions.ROW_TTL,
          DATALAKE_FRESHNESS);

  private static final Set<String> NOT_IN_THIS_BUILD =
      Set.of(
          "table.datalake.auto-compaction",
          "table.datalake.auto-expire-snapshot",
          "table.datalake.database-name",
          "table.datalake.historical-partition.enabled",
          "table.datalake.table-name",
          "table.kv.format-version",
          "table.kv.standby-replica.enabled",
          "table.log.local-ttl",
          "table.log.tiered.local-segments");

  private static final List<String> NAMESPACES =
      List.of("bucket.", "table.", "fields.", "auto-increment.");

  private final SortedMap<String, String> options;
  private final int bucketCount;
  private final List<String> bucketKey;
  private final int replicationFactor;
  private final boolean lakeEnabled;
  private final Duration lakeFreshness;
  private final Duration logTtl;
  private final Optional<String> compressionType;
  private final OptionalInt zstdLevel;
  private final StatisticsColumns statisticsColumns;
  private final AutoPartitionOptions autoPartition;
  private final PrimaryKeyOptions primaryKey;

  private TableOptions(SortedMap<String, String> options) {
    this.options = options;
    this.bucketCount = OptionValues.integer(options, BUCKET_NUM, 1, MAX_BUCKETS, 1);
    this.bucketKey = OptionValues.columns(options, BUCKET_KEY);
    this.replicationFactor =
        OptionValues.integer(options, REPLICATION_FACTOR, 1, MAX_REPLICATION_FACTOR, 0);
    this.lakeEnabled = OptionValues.truth(options, DATALAKE_ENABLED);
    this.lakeFreshness = freshness(options);
    checkLakeFormat(options);
    this.logTtl =
        OptionValues.timeToLive(options, LOG_TTL, DEFAULT_LOG_TTL, MIN_LOG_TTL, MAX_LOG_TTL);
    this.compressionType = compression(options);
    this.zstdLevel =
        options.containsKey(ZSTD_LEVEL)
            ? OptionalInt.of(OptionValues.integer(options, ZSTD_LEVEL, 1, MAX_ZSTD_LEVEL, 1))
            : OptionalInt.empty();
    this.statisticsColumns = statistics(options);
    this.autoPartition = AutoPartitionOptions.of(options);
    this.primaryKey = PrimaryKeyOptions.of(options);
    checkLogFormat(options);
  }

  /**
   * Checks the options.
   *
   * @throws SluiceException INVALID_OPTION for an unknown key of Sluice's namespaces or a value out
   *     of range, UNSUPPORTED for an option that this build does not honour
   */
  public static TableOptions of(Map<String, String> options) {
    // Each of thousands of columns may have options; their names are bounded by the columns.
    long own = options.keySet().stream().filter(key -> !key.startsWith("fields.")).count();
    if (own > MAX_OPTIONS) {
      throw invalid("A table has " + own + " options; it must have at most " + MAX_OPTIONS);
    }
    if (options.size() - own > MAX_FIELD_OPTIONS) {
      throw invalid(
          "A table has "
              + (options.size() - own)
              + " options of columns; it must have at most "
              + MAX_FIELD_OPTIONS);
    }
    SortedMap<String, String> sorted = new TreeMap<>(options);
    sorted.forEach(TableOptions::checkEntry);
    return new TableOptions(sorted);
  }

  /** Number of buckets. */
  public int bucketCount() {
    return bucketCount;
  }

  /** Names of the columns that choose the bucket, empty when any bucket will do. */
  public List<String> bucketKey() {
    return bucketKey;
  }

  /** The replication factor asked for, or the given default of the cluster. */
  public int replicationFactor(int clusterDefault) {
    return replicationFactor == 0 ? clusterDefault : replicationFactor;
  }

  /**
   * Whether a table with these options, which were checked when it was created, goes to the lake.
   */
  public static boolean lakeEnabled(Map<String, String> options) {
    return options.getOrDefault(DATALAKE_ENABLED, "false").trim().equalsIgnoreCase("true");
  }

  /** Whether the table is copied to the lake. */
  public boolean lakeEnabled() {
    return lakeEnabled;
  }

  /** How old the lake may be. */
  public Duration lakeFreshness() {
    return lakeFreshness;
  }

  /** How long the log is kept after it was stored; {@link Duration#ZERO} is for ever. */
  public Duration logTtl() {
    return logTtl;
  }

  /** {@code none}, {@code lz4_frame} or {@code zstd}; empty when the table leaves it open. */
  public Optional<String> compressionType() {
    return compressionType;
  }

  /** Level of zstd; empty when the table leaves it open. */
  public OptionalInt zstdLevel() {
    return zstdLevel;
  }

  /** The columns that keep statistics. */
  public StatisticsColumns statisticsColumns() {
    return statisticsColumns;
  }

  /** The options of automatic partitioning. */
  public AutoPartitionOptions autoPartition() {
    return autoPartition;
  }

  /** The options that only tables with a primary key have. */
  public PrimaryKeyOptions primaryKey() {
    return primaryKey;
  }

  /**
   * Whether an option of an existing table may be set or reset: a few of Sluice's, and every
   * property of the user's.
   */
  public static boolean isAlterable(String key) {
    return ALTERABLE.contains(key) || NAMESPACES.stream().noneMatch(key::startsWith);
  }

  /** The options of Sluice's namespaces that may be changed on an existing table, sorted. */
  public static List<String> alterable() {
    return ALTERABLE.stream().sorted().toList();
  }

  /** All options as given, sorted by key. */
  public Map<String, String> asMap() {
    return Collections.unmodifiableSortedMap(options);
  }

  private static void checkEntry(String key, String value) {
    if (key.isBlank() || key.length() > MAX_KEY_LENGTH) {
      throw invalid("Option key '" + key + "' must have 1 to " + MAX_KEY_LENGTH + " characters");
    }
    if (value.length() > MAX_VALUE_LENGTH) {
      throw invalid(
          "Option "
              + key
              + " has a value of "
              + value.length()
              + " characters; the limit is "
              + MAX_VALUE_LENGTH);
    }
    if (HONOURED.contains(key) || PrimaryKeyOptions.isOne(key)) {
      return;
    }
    if (NAMESPACES.stream().noneMatch(key::startsWith)) {
      checkOwnProperty(key);
      return;
    }
    if (NOT_IN_THIS_BUILD.contains(key)) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED, "Option " + key + " is known but not in this build; leave it out");
    }
    throw invalid("Option " + key + " is unknown; did you mean " + nearestKnown(key) + "?");
  }

  /** A key that is one of Sluice's but for its spelling would be kept and do nothing. */
  private static void checkOwnProperty(String key) {
    String plain = plain(key);
    String meant = null;
    if (plain.startsWith("field.")) {
      meant = "fields" + key.substring("field".length());
    } else if (NAMESPACES.stream().anyMatch(plain::startsWith)) {
      meant = nearestKnown(plain);
    }
    for (String known : knownKeys()) {
      if (known.equals(plain) || known.equals("table." + plain)) {
        meant = known;
      }
    }
    if (meant != null) {
      throw invalid(
          "Option "
              + key
              + " is unknown; did you mean "
              + meant
              + "? A property of your own needs a name that is not like one of Sluice's");
    }
  }

  private static String plain(String key) {
    return key.trim().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static Set<String> knownKeys() {
    Set<String> known = new TreeSet<>(HONOURED);
    known.addAll(PrimaryKeyOptions.KEYS);
    known.addAll(NOT_IN_THIS_BUILD);
    for (AggregateOption.Part part : AggregateOption.Part.values()) {
      known.add(new AggregateOption("<column>", part).key());
    }
    return known;
  }

  private static String nearestKnown(String key) {
    String nearest = BUCKET_NUM;
    int smallest = Integer.MAX_VALUE;
    for (String candidate : knownKeys()) {
      int distance = editDistance(key, candidate);
      if (distance < smallest) {
        smallest = distance;
        nearest = candidate;
      }
    }
    return nearest;
  }

  /** Levenshtein distance; both texts are at most {@link #MAX_KEY_LENGTH} long. */
  private static int editDistance(String a, String b) {
    int[] previous = new int[b.length() + 1];
    int[] current = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substituted = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(substituted, 1 + Math.min(previous[j], current[j - 1]));
      }
      int[] swap = previous;
      previous = current;
      current = swap;
    }
    return previous[b.length()];
  }

  private static Duration freshness(Map<String, String> options) {
    String text = options.get(DATALAKE_FRESHNESS);
    if (text == null) {
      return DEFAULT_FRESHNESS;
    }
    return OptionValues.duration(DATALAKE_FRESHNESS, text, MIN_FRESHNESS, MAX_FRESHNESS);
  }

  private static Optional<String> compression(Map<String, String> options) {
    String type = OptionValues.word(options, COMPRESSION_TYPE);
    if (type == null) {
      return Optional.empty();
    }
    return switch (type) {
      case "none", "zstd", "lz4_frame" -> Optional.of(type);
      case "lz4" -> Optional.of("lz4_frame");
      default ->
          throw invalid(
              COMPRESSION_TYPE
                  + " is '"
                  + options.get(COMPRESSION_TYPE)
                  + "'; it must be none, lz4 (or lz4_frame) or zstd");
    };
  }

  private static void checkLogFormat(Map<String, String> options) {
    String format = OptionValues.word(options, LOG_FORMAT);
    if (format != null && !format.equals("arrow")) {
      throw invalid(
          LOG_FORMAT
              + " is '"
              + options.get(LOG_FORMAT)
              + "'; arrow is the only log format, or leave it out");
    }
  }

  private static StatisticsColumns statistics(Map<String, String> options) {
    String text = options.get(STATISTICS_COLUMNS);
    if (text == null) {
      return StatisticsColumns.UNSET;
    }
    if (text.trim().equals("*")) {
      return new StatisticsColumns(StatisticsColumns.Choice.ALL, List.of());
    }
    if (text.trim().equalsIgnoreCase("none")) {
      return new StatisticsColumns(StatisticsColumns.Choice.NONE, List.of());
    }
    return new StatisticsColumns(
        StatisticsColumns.Choice.NAMED, OptionValues.columns(options, STATISTICS_COLUMNS));
  }

  private static void checkLakeFormat(Map<String, String> options) {
    String format = options.get(DATALAKE_FORMAT);
    if (format != null && !format.trim().equalsIgnoreCase("iceberg")) {
      throw invalid(
          DATALAKE_FORMAT
              + " is '"
              + format
              + "'; iceberg is the only lake format, or leave it out");
    }
  }

  private static SluiceException invalid(String message) {
    return OptionValues.invalid(message);
  }

  @Override
  public String toString() {
    return options.toString();
  }
}
