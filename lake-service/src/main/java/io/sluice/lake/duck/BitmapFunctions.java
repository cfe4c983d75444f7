package io.sluice.lake.duck;

import io.sluice.common.SluiceException;
import io.sluice.lake.bitmap.BitmapFormat;
import io.sluice.lake.bitmap.BitmapOperation;
import io.sluice.lake.bitmap.BitmapWidth;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBDriver;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBLogicalType;
import org.duckdb.DuckDBReadableVector;
import org.duckdb.DuckDBScalarFunctionBuilder;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;

/**
 * The functions on bitmaps, {@code RB_CARDINALITY} and its like. The engine takes functions from
 * Java that map texts and numbers, no bytes, and no aggregates: so there is one such function, and
 * each function of SQL is a macro that calls it with bitmaps in Base64. An aggregate is a macro
 * over {@code string_agg}, whose memory the engine counts; so it works wherever an aggregate does.
 */
final class BitmapFunctions {
  /** The most bytes of all bitmaps of a group. */
  private static final int MAX_GROUP_BYTES = 64 << 20;

  private static final String CALL = "__rb";

  /** The most numbers that RB_BUILD takes outside of a list. */
  private static final int MAX_ARGUMENTS = 8;

  /** Values of more bytes are worked on one at a time, as they are in the heap of the process. */
  private static final int LARGE_BYTES = 1 << 20;

  private static final Semaphore LARGE = new Semaphore(1, true);
  private static final Map<String, Call> CALLS = calls();
  private static final List<String> MACROS = macros();

  private BitmapFunctions() {}

  /** An operation on bitmaps of a width. */
  private record Call(BitmapOperation operation, BitmapWidth width) {}

  private static Map<String, Call> calls() {
    Map<String, Call> calls = new HashMap<>();
    for (BitmapWidth width : BitmapWidth.values()) {
      for (BitmapOperation operation : BitmapOperation.values()) {
        calls.put(operation.function(width), new Call(operation, width));
      }
    }
    return calls;
  }

  /** Whether a text may call one of them: only then is it worth making them known. */
  static boolean mayBeIn(String query) {
    String lower = query.toLowerCase(Locale.ROOT);
    for (BitmapWidth width : BitmapWidth.values()) {
      if (lower.contains(width.prefix().toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  /** Makes them known to an engine. */
  static void register(DuckDBConnection connection) throws SQLException {
    try (DuckDBLogicalType text = DuckDBLogicalType.of(DuckDBColumnType.VARCHAR);
        DuckDBLogicalType number = DuckDBLogicalType.of(DuckDBColumnType.BIGINT);
        DuckDBScalarFunctionBuilder function = DuckDBFunctions.scalarFunction()) {
      function
          .withName(CALL)
          .withParameters(text, text, text, number)
          .withReturnType(text)
          .withVectorizedFunction(BitmapFunctions::apply)
          .register(connection);
    } finally {
      // The driver remembers every function of every engine for as long as the process lives.
      DuckDBDriver.clearFunctionsRegistry();
    }
    try (var statement = connection.createStatement()) {
      for (String macro : MACROS) {
        statement.execute(macro);
      }
    }
  }

  private static void apply(DuckDBDataChunkReader rows, DuckDBWritableVector results)
      throws InterruptedException {
    DuckDBReadableVector functions = rows.vector(0);
    DuckDBReadableVector firsts = rows.vector(1);
    DuckDBReadableVector seconds = rows.vector(2);
    DuckDBReadableVector sizes = rows.vector(3);
    for (long row = 0; row < rows.rowCount(); row++) {
      boolean none = firsts.isNull(row) || seconds.isNull(row) || sizes.isNull(row);
      String result = none ? null : apply(functions, firsts, seconds, sizes.getLong(row), row);
      if (result == null) {
        results.setNull(row);
      } else {
        results.setString(row, result);
      }
    }
  }

  private static @Nullable String apply(
      DuckDBReadableVector functions,
      DuckDBReadableVector firsts,
      DuckDBReadableVector seconds,
      long size,
      long row)
      throws InterruptedException {
    Call call = CALLS.get(functions.getString(row));
    if (call == null) {
      throw new IllegalArgumentException("There is no such function on bitmaps");
    }
    boolean large = size > LARGE_BYTES;
    if (large) {
      LARGE.acquire();
    }
    try {
      return call.operation().apply(call.width(), firsts.getString(row), seconds.getString(row));
    } catch (SluiceException e) {
      throw new Failure(e);
    } finally {
      if (large) {
        LARGE.release();
      }
    }
  }

  /** What the engine takes of a failure is its text, which is to be the message alone. */
  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failure(SluiceException cause) {
      super(cause.getMessage(), cause, false, false);
    }

    @Override
    public String toString() {
      return String.valueOf(getMessage());
    }
  }

  private static List<String> macros() {
    List<String> macros = new ArrayList<>();
    for (BitmapWidth width : BitmapWidth.values()) {
      for (BitmapOperation operation : BitmapOperation.values()) {
        macros.add(macro(operation, operation.function(width)));
      }
    }
    return List.copyOf(macros);
  }

  private static String macro(BitmapOperation operation, String name) {
    String body =
        switch (operation) {
          case BUILD -> build(name);
          case CARDINALITY -> "(a) AS CAST(" + unary(name) + " AS BIGINT)";
          case TO_ARRAY -> "(a) AS CAST(" + unary(name) + " AS BIGINT[])";
          case CONTAINS ->
              "(a, n) AS CAST("
                  + call(name, bitmap(name, "a"), "CAST(n AS VARCHAR)", size(name, "a"))
                  + " AS BOOLEAN)";
          case AND, OR, XOR, ANDNOT ->
              "(a, b) AS from_base64("
                  + call(
                      name,
                      bitmap(name, "a"),
                      bitmap(name, "b"),
                      size(name, "a") + " + " + size(name, "b"))
                  + ")";
          case OR_AGG, AND_AGG -> "(a) AS from_base64(" + aggregate(name) + ")";
        };
    return "CREATE TEMP MACRO " + Names.quote(name.toLowerCase(Locale.ROOT)) + body;
  }

  private static String build(String name) {
    List<String> overloads = new ArrayList<>();
    StringBuilder parameters = new StringBuilder();
    for (int i = 1; i <= MAX_ARGUMENTS; i++) {
      parameters.append(i == 1 ? "" : ", ").append('n').append(i);
      String text =
          i == 1 ? "CAST(n1 AS VARCHAR)" : "nullif(concat_ws(',', " + parameters + "), '')";
      overloads.add("(" + parameters + ") AS from_base64(" + call(name, text, "''", "0") + ")");
    }
    return String.join(", ", overloads);
  }

  private static String unary(String name) {
    return call(name, bitmap(name, "a"), "''", size(name, "a"));
  }

  private static String aggregate(String name) {
    String size = "sum(" + size(name, "a") + ")";
    return call(
        name,
        bounded(
            name,
            size,
            MAX_GROUP_BYTES,
            "string_agg(to_base64(" + bytes(name, "a") + "), ',')",
            "the bitmaps of a group have"),
        "''",
        "CAST(" + size + " AS BIGINT)");
  }

  private static String bitmap(String name, String parameter) {
    return bounded(
        name,
        size(name, parameter),
        BitmapFormat.MAX_BYTES,
        "to_base64(" + bytes(name, parameter) + ")",
        "a bitmap has");
  }

  private static String size(String name, String parameter) {
    return "octet_length(" + bytes(name, parameter) + ")";
  }

  /**
   * Texts would be cast to bytes without a word, and numbers be refused with a word of the engine.
   */
  private static String bytes(String name, String parameter) {
    return "CASE WHEN typeof("
        + parameter
        + ") IN ('BLOB', '\"NULL\"') THEN TRY_CAST("
        + parameter
        + " AS BLOB) ELSE error('"
        + name
        + ": it takes BYTES, not ' || typeof("
        + parameter
        + ")) END";
  }

  /** What would come into the heap of the process, which the engine does not look after. */
  private static String bounded(String name, String size, int most, String value, String what) {
    return "CASE WHEN "
        + size
        + " > "
        + most
        + " THEN error('"
        + name
        + ": "
        + what
        + " more than "
        + (most >> 20)
        + " MiB, the most that one call reads') ELSE "
        + value
        + " END";
  }

  private static String call(String name, String first, String second, String size) {
    return CALL + "('" + name + "', " + first + ", " + second + ", " + size + ")";
  }
}
