package io.sluice.lake.duck;

import java.util.List;
import java.util.Set;

/**
 * Bounds what one call of a function may make out of little: the engine counts the memory of its
 * tables, sorts and joins, but not that of the values of one call, so {@code range(3000000000)}
 * would take the memory of the whole machine. The guards are macros that hide the functions they
 * call; a query cannot go around them, since it names these functions without a schema.
 */
final class SizeGuards {
  /** Characters or elements of one value. Values are made 2,048 at a time. */
  static final int LIMIT = 100_000;

  /** Characters of a text that replace makes, which is bound by its input anyway. */
  private static final int REPLACE_LIMIT = 16 << 20;

  private static final String BUILT_IN = "system.main.";

  /** The functions that have a guard. */
  static final Set<String> NAMES =
      Set.of(
          "repeat",
          "lpad",
          "rpad",
          "bitstring",
          "list_resize",
          "array_resize",
          "replace",
          "range",
          "generate_series");

  static final List<String> STATEMENTS =
      List.of(
          macro("repeat", call("s, n", "length(s)::HUGEINT * n", LIMIT, "repeat(s, n)")),
          macro("lpad", call("s, n, p", "n", LIMIT, "lpad(s, n, p)")),
          macro("rpad", call("s, n, p", "n", LIMIT, "rpad(s, n, p)")),
          macro("bitstring", call("b, n", "n", LIMIT, "bitstring(b, n)")),
          resize("list_resize"),
          resize("array_resize"),
          macro(
              "replace",
              call(
                  "s, a, b",
                  "(length(s) // greatest(length(a), 1))::HUGEINT * length(b)",
                  REPLACE_LIMIT,
                  "replace(s, a, b)")),
          series("range"),
          series("generate_series"));

  private SizeGuards() {}

  private static String resize(String name) {
    return macro(
        name,
        call("l, n", "n", LIMIT, name + "(l, n)"),
        call("l, n, v", "n", LIMIT, name + "(l, n, v)"));
  }

  private static String series(String name) {
    return macro(
        name,
        call("n", "n", LIMIT, name + "(n)"),
        call("a, z", "z::HUGEINT - a", LIMIT, name + "(a, z)"),
        call("a, z, s", "abs((z::HUGEINT - a) // s)", LIMIT, name + "(a, z, s)"));
  }

  private static String macro(String name, String... overloads) {
    return "CREATE TEMP MACRO " + Names.quote(name) + String.join(", ", overloads);
  }

  private static String call(String parameters, String size, int limit, String call) {
    return "("
        + parameters
        + ") AS CASE WHEN ("
        + size
        + ") > "
        + limit
        + " THEN error('A value would have more than "
        + limit
        + " characters or elements, more than one call may make; rows come from FROM range(...)')"
        + " ELSE "
        + BUILT_IN
        + call
        + " END";
  }
}
