package io.sluice.lake.duck;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which functions a query may call. Table functions are those on a list. Of the others those are
 * refused that read files, settings or the engine's own state, that write, that run text as SQL, or
 * that only wait.
 */
final class FunctionRules {
  private static final Set<String> TABLE_FUNCTIONS = Set.of("unnest", "generate_series", "range");

  private static final List<String> REFUSED_PREFIXES =
      List.of(
          "__internal",
          "__rb",
          "duckdb_",
          "pg_",
          "pragma_",
          "read_",
          "parquet_",
          "json_execute",
          "json_serialize",
          "json_deserialize",
          "sniff_",
          "has_",
          "inet_",
          "icu_",
          "arrow_scan",
          "copy_",
          "storage_",
          "which_",
          "truncate_");

  private static final Set<String> REFUSED =
      Set.of(
          "col_description",
          "create_sort_key",
          "current_connection_id",
          "current_query",
          "current_query_id",
          "current_setting",
          "current_transaction_id",
          "currval",
          "format_pg_type",
          "get_block_size",
          "getenv",
          "getvariable",
          "glob",
          "in_search_path",
          "map_to_pg_oid",
          "nextval",
          "obj_description",
          "parse_duckdb_log_message",
          "query",
          "query_table",
          "seq_scan",
          "setseed",
          "shobj_description",
          "sleep_ms",
          "stats",
          "txid_current",
          "vector_type",
          "write_log");

  /** Functions whose first argument says how wide their result is. */
  static final Set<String> FORMATS = Set.of("format", "printf");

  /** A width of five digits or more, or one that is an argument. */
  static final Pattern WIDE_FORMAT = Pattern.compile("\\d{5}|%[^a-zA-Z]*\\*|\\{[^}]*\\{");

  private FunctionRules() {}

  /** Why a query may not call this function, or null when it may. */
  static @Nullable String refusal(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    boolean refused =
        REFUSED.contains(lower) || REFUSED_PREFIXES.stream().anyMatch(lower::startsWith);
    return refused
        ? "Function "
            + lower
            + " is not allowed: a query reads tables of Sluice, no files, settings or state of the"
            + " engine"
        : null;
  }

  /** Why a query may not read from this table function, or null when it may. */
  static @Nullable String tableRefusal(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return TABLE_FUNCTIONS.contains(lower)
        ? null
        : "Table function "
            + lower
            + " is not allowed; allowed are "
            + String.join(", ", TABLE_FUNCTIONS.stream().sorted().toList())
            + ". Data is read from tables of Sluice: use their names";
  }
}
