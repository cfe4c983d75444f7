package io.sluice.cli.options;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a command accepts: positional arguments, flags and options with values. Every command also
 * accepts {@code --help} and {@code --verbose}. Immutable.
 */
public final class CommandLine {
  private final String command;
  private final String summary;
  private final List<Positional> positionals;
  private final List<Option> options;
  private final List<String> notes;

  private CommandLine(Builder builder) {
    this.command = builder.command;
    this.summary = builder.summary;
    this.positionals = List.copyOf(builder.positionals);
    this.options = List.copyOf(builder.options);
    this.notes = List.copyOf(builder.notes);
  }

  /** Starts the description of a command. */
  public static Builder of(String command, String summary) {
    return new Builder(command, summary);
  }

  /** A positional argument; a repeated one takes all words that are left. */
  record Positional(String name, String help, boolean required, boolean repeated) {
    String usage() {
      return required ? name + (repeated ? "..." : "") : "[" + name + "]";
    }
  }

  /** An option; {@code valueName} is empty for a flag. */
  record Option(String name, String valueName, String help) {
    boolean isFlag() {
      return valueName.isEmpty();
    }

    /** Whether it takes several words separated by commas, and so may be given several times. */
    boolean isList() {
      return valueName.endsWith(",...");
    }
  }

  /** Name of the command. */
  public String command() {
    return command;
  }

  /** One line that says what the command does. */
  public String summary() {
    return summary;
  }

  /** Parses the words after the command's name; throws {@link UsageException}. */
  public Arguments parse(List<String> words) {
    Arguments.Collector given = new Arguments.Collector();
    boolean onlyPositionals = false;
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (onlyPositionals || !word.startsWith("-") || word.equals("-")) {
        addPositional(given, word);
      } else if (word.equals("--")) {
        onlyPositionals = true;
      } else if (word.equals("-h")) {
        given.flag("--help");
      } else {
        i +=
            addOption(
                given,
                word,
                i + 1 < words.size() ? Optional.of(words.get(i + 1)) : Optional.empty());
      }
    }
    if (!given.has("--help")) {
      checkRequired(given);
    }
    return given.arguments();
  }

  private void addPositional(Arguments.Collector given, String word) {
    int position = given.positionalCount();
    int last = positionals.size() - 1;
    if (position >= last && last >= 0 && positionals.get(last).repeated()) {
      given.rest(word);
      return;
    }
    if (position >= positionals.size()) {
      throw new UsageException(
          "unexpected argument '" + word + "'; " + command + " takes " + describePositionals());
    }
    given.positional(positionals.get(position).name(), word);
  }

  private String describePositionals() {
    if (positionals.isEmpty()) {
      return "no arguments, only options";
    }
    return String.join(" ", positionals.stream().map(Positional::name).toList());
  }

  /** Returns how many further words the option used. */
  private int addOption(Arguments.Collector given, String word, Optional<String> next) {
    int equals = word.indexOf('=');
    String name = equals < 0 ? word : word.substring(0, equals);
    Option option = find(name);
    if (option.isFlag()) {
      if (equals >= 0) {
        throw new UsageException("option " + name + " takes no value");
      }
      given.flag(name);
      return 0;
    }
    if (equals >= 0) {
      given.value(option, word.substring(equals + 1));
      return 0;
    }
    if (next.isEmpty() || next.get().startsWith("--")) {
      throw new UsageException(
          "option " + name + " needs a value: " + name + " " + option.valueName());
    }
    given.value(option, next.get());
    return 1;
  }

  private Option find(String name) {
    for (Option option : options) {
      if (option.name().equals(name)) {
        return option;
      }
    }
    List<String> known = options.stream().map(Option::name).toList();
    throw new UsageException(
        "unknown option " + name + " of " + command + NearestName.suggestion(name, known));
  }

  private void checkRequired(Arguments.Collector given) {
    for (int i = given.positionalCount(); i < positionals.size(); i++) {
      if (positionals.get(i).required()) {
        throw new UsageException(
            command + " needs " + positionals.get(i).name() + ": " + positionals.get(i).help());
      }
    }
  }

  /** Help text, ending with a line break. */
  public String help() {
    StringBuilder text = new StringBuilder("Usage: sluice ").append(command);
    for (Positional positional : positionals) {
      text.append(' ').append(positional.usage());
    }
    text.append(" [options]\n\n").append(summary).append('\n');
    int width = 0;
    for (Positional positional : positionals) {
      width = Math.max(width, positional.name().length());
    }
    for (Option option : options) {
      width = Math.max(width, left(option).length());
    }
    if (!positionals.isEmpty()) {
      text.append('\n');
      for (Positional positional : positionals) {
        appendHelp(text, positional.name(), positional.help(), width);
      }
    }
    text.append("\nOptions:\n");
    for (Option option : options) {
      appendHelp(text, left(option), option.help(), width);
    }
    if (!notes.isEmpty()) {
      text.append('\n');
      for (String note : notes) {
        text.append(note).append('\n');
      }
    }
    return text.toString();
  }

  private static String left(Option option) {
    return option.isFlag() ? option.name() : option.name() + " " + option.valueName();
  }

  private static void appendHelp(StringBuilder text, String left, String help, int width) {
    text.append("  ").append(left).append(" ".repeat(width - left.length() + 3)).append(help);
    text.append('\n');
  }

  /** Collects the description of one command. */
  public static final class Builder {
    private final String command;
    private final String summary;
    private final List<Positional> positionals = new ArrayList<>();
    private final List<Option> options = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    private Builder(String command, String summary) {
      this.command = command;
      this.summary = summary;
    }

    /** A positional argument that must be given. */
    public Builder required(String name, String help) {
      positionals.add(new Positional(name, help, true, false));
      return this;
    }

    /** A positional argument that may be left out; only optional ones may follow. */
    public Builder optional(String name, String help) {
      positionals.add(new Positional(name, help, false, false));
      return this;
    }

    /** One or more words, read with {@link Arguments#rest}; only as the last one. */
    public Builder rest(String name, String help) {
      positionals.add(new Positional(name, help, true, true));
      return this;
    }

    /** A switch. */
    public Builder flag(String name, String help) {
      options.add(new Option(name, "", help));
      return this;
    }

    /** An option with a value; given twice, the last one counts, or both when it is a list. */
    public Builder option(String name, String valueName, String help) {
      options.add(new Option(name, valueName, help));
      return this;
    }

    /** A line at the end of the help text. */
    public Builder note(String line) {
      notes.add(line);
      return this;
    }

    /** The description, with {@code --verbose} and {@code --help} added. */
    public CommandLine build() {
      flag("--verbose", "show log lines and the stack trace of a failure");
      flag("--help", "show this help");
      return new CommandLine(this);
    }
  }
}
