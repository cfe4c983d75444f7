package io.sluice.common;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

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
  private static final int MAX_KEY_LENGTH = 255;
  private static final int MAX_VALUE_LENGTH = 32 * 1024;

  private static final Set<String> HONOURED =
      Set.of(
          BUCKET_NUM,
          BUCKET_KEY,
          REPLICATION_FACTOR,
          DATALAKE_ENABLED,
          DATALAKE_FRESHNESS,
          DATALAKE_FORMAT);

  private static final Set<String> NOT_IN_THIS_BUILD =
      Set.of(
          "auto-increment.fields",
          "table.auto-increment.cache-size",
          "table.auto-partition.enabled",
          "table.auto-partition.key",
          "table.auto-partition.num-precreate",
          "table.auto-partition.num-retention",
          "table.auto-partition.time-format",
          "table.auto-partition.time-unit",
          "table.auto-partition.time-zone",
          "table.changelog.image",
          "table.datalake.auto-compaction",
          "table.datalake.auto-expire-snapshot",
          "table.datalake.database-name",
          "table.datalake.historical-partition.enabled",
          "table.datalake.table-name",
          "table.delete.behavior",
          "table.kv.format",
          "table.kv.format-version",
          "table.kv.standby-replica.enabled",
          "table.kv.ttl",
          "table.log.arrow.compression.type",
          "table.log.arrow.compression.zstd.level",
          "table.log.format",
          "table.log.local-ttl",
          "table.log.tiered.local-segments",
          "table.log.ttl",
          "table.merge-engine",
          "table.merge-engine.versioned.ver-column",
          "table.statistics.columns");

  private static final List<String> NAMESPACES =
      List.of("bucket.", "table.", "fields.", "auto-increment.");

  private final SortedMap<String, String> options;
  private final int bucketCount;
  private final List<String> bucketKey;
  private final int replicationFactor;
  private final boolean lakeEnabled;
  private final Duration lakeFreshness;

  private TableOptions(SortedMap<String, String> options) {
    this.options = options;
    this.bucketCount = integer(options, BUCKET_NUM, 1, MAX_BUCKETS, 1);
    this.bucketKey = columnList(options);
    this.replicationFactor = integer(options, REPLICATION_FACTOR, 1, MAX_REPLICATION_FACTOR, 0);
    this.lakeEnabled = lakeEnabled(options);
    checkTruth(options, DATALAKE_ENABLED);
    this.lakeFreshness = freshness(options);
    checkLakeFormat(options);
  }

  /**
   * Checks the options.
   *
   * @throws SluiceException INVALID_OPTION for an unknown key of Sluice's namespaces or a value out
   *     of range, UNSUPPORTED for an option that this build does not honour
   */
  public static TableOptions of(Map<String, String> options) {
    if (options.size() > MAX_OPTIONS) {
      throw invalid(
          "A table has " + options.size() + " options; it must have at most " + MAX_OPTIONS);
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

  /** All options as given, sorted by key. */
  public Map<String, String> asMap() {
    return java.util.Collections.unmodifiableSortedMap(options);
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
    if (HONOURED.contains(key) || NAMESPACES.stream().noneMatch(key::startsWith)) {
      return;
    }
    if (NOT_IN_THIS_BUILD.contains(key) || isFieldAggregate(key)) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED, "Option " + key + " is known but not in this build; leave it out");
    }
    throw invalid("Option " + key + " is unknown; did you mean " + nearestKnown(key) + "?");
  }

  private static boolean isFieldAggregate(String key) {
    return key.startsWith("fields.") && (key.endsWith(".agg") || key.contains(".agg."));
  }

  private static String nearestKnown(String key) {
    String nearest = BUCKET_NUM;
    int smallest = Integer.MAX_VALUE;
    Set<String> known = new java.util.TreeSet<>(HONOURED);
    known.addAll(NOT_IN_THIS_BUILD);
    known.add("fields.<column>.agg");
    for (String candidate : known) {
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

  private static int integer(
      Map<String, String> options, String key, int min, int max, int otherwise) {
    String text = options.get(key);
    if (text == null) {
      return otherwise;
    }
    long value;
    try {
      value = Long.parseLong(text.trim());
    } catch (NumberFormatException e) {
      throw new SluiceException(
          ErrorCode.INVALID_OPTION,
          key + " is '" + text + "'; it must be a whole number between " + min + " and " + max,
          e);
    }
    if (value < min || value > max) {
      throw invalid(key + " is " + value + "; it must be between " + min + " and " + max);
    }
    return (int) value;
  }

  private static void checkTruth(Map<String, String> options, String key) {
    String text = options.getOrDefault(key, "false").trim();
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
      throw invalid(key + " is '" + options.get(key) + "'; it must be true or false");
    }
  }

  private static Duration freshness(Map<String, String> options) {
    String text = options.get(DATALAKE_FRESHNESS);
    if (text == null) {
      return DEFAULT_FRESHNESS;
    }
    Duration freshness = DurationText.parse(DATALAKE_FRESHNESS, text);
    if (freshness.compareTo(MIN_FRESHNESS) < 0 || freshness.compareTo(MAX_FRESHNESS) > 0) {
      throw invalid(
          DATALAKE_FRESHNESS
              + " is '"
              + text
              + "'; it must be between "
              + MIN_FRESHNESS.toSeconds()
              + " s and "
              + MAX_FRESHNESS.toDays()
              + " d");
    }
    return freshness;
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

  private static List<String> columnList(Map<String, String> options) {
    String text = options.get(BUCKET_KEY);
    if (text == null) {
      return List.of();
    }
    List<String> columns = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String part : text.split(",", -1)) {
      String column = part.trim();
      if (column.isEmpty()) {
        throw invalid(
            BUCKET_KEY + " is '" + text + "'; it must be column names separated by commas");
      }
      if (!seen.add(column)) {
        throw invalid(BUCKET_KEY + " names column '" + column + "' twice");
      }
      columns.add(column);
    }
    return List.copyOf(columns);
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_OPTION, message);
  }

  @Override
  public String toString() {
    return options.toString();
  }
}
