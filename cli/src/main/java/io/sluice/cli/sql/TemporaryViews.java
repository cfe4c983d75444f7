package io.sluice.cli.sql;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The temporary views of a script. The SQL service knows no session, so {@code CREATE TEMPORARY
 * VIEW} is kept here, and a statement that reads a view gets it by WITH. Not thread-safe.
 */
public final class TemporaryViews {
  private static final Set<String> READING = Set.of("SELECT", "WITH", "INSERT", "EXPLAIN");

  /** Each view as an element of WITH, by its name in small letters, in the order of the script. */
  private final Map<String, String> views = new LinkedHashMap<>();

  /** A word outside of quotes and comments, or a quoted name without its quotes. */
  private record Word(String text, int start, int end, int depth, boolean quoted) {
    boolean is(String keyword) {
      return !quoted && text.equalsIgnoreCase(keyword);
    }
  }

  /** The name of a view that a statement makes, which is known from now on; empty for another. */
  public Optional<String> define(String statement) {
    List<Word> words = words(statement);
    if (words.size() < 5
        || !words.get(0).is("CREATE")
        || !words.get(1).is("TEMPORARY")
        || !words.get(2).is("VIEW")) {
      return Optional.empty();
    }
    int at = words.get(3).is("IF") ? 6 : 3;
    Word name = words.get(Math.min(at, words.size() - 1));
    Word as = null;
    Word last = name;
    for (Word word : words.subList(Math.min(at + 1, words.size()), words.size())) {
      if (word.depth() == 0 && (word.is("AS") || word.is("COMMENT"))) {
        as = word;
        if (word.is("AS")) {
          break;
        }
      } else if (as == null) {
        last = word;
      }
    }
    if (as == null || !as.is("AS")) {
      return Optional.empty();
    }
    String columns = last == name ? "" : statement.substring(name.end(), closing(statement, last));
    views.put(
        key(name.text()),
        quoted(name.text()) + columns + " AS (" + statement.substring(as.end()).strip() + "\n)");
    return Optional.of(name.text());
  }

  /** Behind the bracket that closes the list in which a word stands. */
  private static int closing(String statement, Word word) {
    int found = statement.indexOf(')', word.end());
    return found < 0 ? word.end() : found + 1;
  }

  /** The statement with the views that it reads. */
  public String resolve(String statement) {
    List<Word> words = words(statement);
    if (words.isEmpty() || READING.stream().noneMatch(words.get(0)::is)) {
      return statement;
    }
    List<String> used = used(words);
    if (used.isEmpty()) {
      return statement;
    }
    String list = String.join(", ", used);
    for (int i = 0; i < words.size(); i++) {
      Word word = words.get(i);
      if (word.depth() == 0 && word.is("WITH")) {
        boolean recursive = i + 1 < words.size() && words.get(i + 1).is("RECURSIVE");
        int behind = recursive ? words.get(i + 1).end() : word.end();
        return statement.substring(0, behind) + " " + list + "," + statement.substring(behind);
      }
      if (word.depth() == 0 && word.is("SELECT")) {
        return statement.substring(0, word.start())
            + "WITH "
            + list
            + "\n"
            + statement.substring(word.start());
      }
    }
    return statement;
  }

  /** The views that are named, and those that these name, in the order of the script. */
  private List<String> used(List<Word> words) {
    Set<String> names = new TreeSet<>();
    words.forEach(word -> names.add(key(word.text())));
    List<String> used = new ArrayList<>();
    List<Map.Entry<String, String>> all = new ArrayList<>(views.entrySet());
    for (int i = all.size() - 1; i >= 0; i--) {
      if (names.contains(all.get(i).getKey())) {
        used.add(0, all.get(i).getValue());
        words(all.get(i).getValue()).forEach(word -> names.add(key(word.text())));
      }
    }
    return used;
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static String quoted(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  private static List<Word> words(String text) {
    List<Word> words = new ArrayList<>();
    int depth = 0;
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      int end = at + 1;
      if (text.startsWith("--", at)) {
        end = behind(text, "\n", at);
      } else if (text.startsWith("/*", at)) {
        end = behind(text, "*/", at + 2);
      } else if (c == '\'') {
        end = behind(text, "'", at + 1);
      } else if (c == '"' || c == '`') {
        end = behind(text, String.valueOf(c), at + 1);
        words.add(
            new Word(text.substring(at + 1, Math.max(at + 1, end - 1)), at, end, depth, true));
      } else if (Character.isLetter(c) || c == '_') {
        while (end < text.length()
            && (Character.isLetterOrDigit(text.charAt(end))
                || text.charAt(end) == '_'
                || text.charAt(end) == '$')) {
          end++;
        }
        words.add(new Word(text.substring(at, end), at, end, depth, false));
      } else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
      at = end;
    }
    return words;
  }

  private static int behind(String text, String mark, int from) {
    int found = text.indexOf(mark, from);
    return found < 0 ? text.length() : found + mark.length();
  }
}
