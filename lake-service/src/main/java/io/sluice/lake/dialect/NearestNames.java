package io.sluice.lake.dialect;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Finds the names that somebody may have meant. */
public final class NearestNames {
  private static final int MOST = 3;
  private static final int MAX_LENGTH = 128;

  private NearestNames() {}

  /** {@code "; did you mean a, b?"} with the nearest known names, or nothing when none is near. */
  public static String hint(String wanted, Collection<String> known) {
    List<String> nearest = nearest(wanted, known);
    return nearest.isEmpty() ? "" : "; did you mean " + String.join(", ", nearest) + "?";
  }

  /** At most three known names that differ in less than half of their characters, nearest first. */
  public static List<String> nearest(String wanted, Collection<String> known) {
    record Candidate(String name, int distance) {}
    String lower = wanted.toLowerCase(Locale.ROOT);
    List<Candidate> candidates = new ArrayList<>();
    for (String name : known) {
      if (name.length() > MAX_LENGTH || lower.length() > MAX_LENGTH) {
        continue;
      }
      int distance = distance(lower, name.toLowerCase(Locale.ROOT));
      if (distance <= Math.max(1, Math.max(lower.length(), name.length()) / 2)) {
        candidates.add(new Candidate(name, distance));
      }
    }
    candidates.sort(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::name));
    return candidates.stream().limit(MOST).map(Candidate::name).toList();
  }

  /** Levenshtein distance. */
  private static int distance(String a, String b) {
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
}
