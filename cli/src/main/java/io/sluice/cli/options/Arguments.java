package io.sluice.cli.options;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The arguments given to a command, checked against its {@link CommandLine}. Immutable. */
public final class Arguments {
  private final Map<String, String> values;
  private final List<String> rest;
  private final Set<String> flags;

  private Arguments(Map<String, String> values, List<String> rest, Set<String> flags) {
    this.values = Map.copyOf(values);
    this.rest = List.copyOf(rest);
    this.flags = Set.copyOf(flags);
  }

  /** Whether the flag was given. */
  public boolean has(String flag) {
    return flags.contains(flag);
  }

  /** The value of an option or positional argument, if given. */
  public Optional<String> value(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** The value of a required positional argument. */
  public String required(String name) {
    return value(name).orElseThrow(() -> new UsageException(name + " is missing"));
  }

  /** The words of the positional argument that takes all words that are left. */
  public List<String> rest() {
    return rest;
  }

  /**
   * A whole number between the bounds, or the default; accepts {@code 200_000}, {@code 200k},
   * {@code 3m}.
   */
  public long number(String name, long otherwise, long least, long most) {
    Optional<String> text = value(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    long number = parseNumber(name, text.get());
    if (number < least || number > most) {
      throw new UsageException(
          name + " is " + text.get() + "; it must be between " + least + " and " + most);
    }
    return number;
  }

  private static long parseNumber(String name, String text) {
    String digits = text.replace("_", "").replace(",", "");
    long factor = 1;
    if (digits.endsWith("k") || digits.endsWith("K")) {
      factor = 1_000;
    } else if (digits.endsWith("m") || digits.endsWith("M")) {
      factor = 1_000_000;
    }
    try {
      String plain = factor == 1 ? digits : digits.substring(0, digits.length() - 1);
      return Math.multiplyExact(Long.parseLong(plain), factor);
    } catch (ArithmeticException | NumberFormatException e) {
      throw new UsageException(
          name + " is '" + text + "'; it must be a whole number, for example 200000 or 200k");
    }
  }

  /** The words of a comma-separated value, each one of the known ones, or all known ones. */
  public List<String> choices(String name, List<String> known) {
    Optional<String> text = value(name);
    if (text.isEmpty()) {
      return known;
    }
    List<String> chosen = list(name);
    for (String word : chosen) {
      if (!known.contains(word)) {
        throw new UsageException(
            name
                + " has '"
                + word
                + "'; it may be "
                + String.join(", ", known)
                + NearestName.suggestion(word, known));
      }
    }
    return chosen;
  }

  /** The words of a comma-separated value without repeats, empty when the option was not given. */
  public List<String> list(String name) {
    List<String> words = new ArrayList<>();
    for (String word : value(name).orElse("").split(",")) {
      String trimmed = word.trim();
      if (!trimmed.isEmpty() && !words.contains(trimmed)) {
        words.add(trimmed);
      }
    }
    if (words.isEmpty() && value(name).isPresent()) {
      throw new UsageException(name + " is empty; it needs at least one word");
    }
    return words;
  }

  /** Gathers arguments while a command line is parsed. */
  static final class Collector {
    private final Map<String, String> values = new LinkedHashMap<>();
    private final List<String> rest = new ArrayList<>();
    private final Set<String> flags = new HashSet<>();
    private int positionals;

    void positional(String name, String value) {
      values.put(name, value);
      positionals++;
    }

    void rest(String value) {
      rest.add(value);
      positionals++;
    }

    void value(CommandLine.Option option, String value) {
      if (option.isList()) {
        values.merge(option.name(), value, (before, more) -> before + "," + more);
      } else {
        values.put(option.name(), value);
      }
    }

    void flag(String name) {
      flags.add(name);
    }

    boolean has(String flag) {
      return flags.contains(flag);
    }

    int positionalCount() {
      return positionals;
    }

    Arguments arguments() {
      return new Arguments(values, rest, flags);
    }
  }
}
