package io.sluice.cli.options;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name that a mistyped one most likely meant. */
public final class NearestName {
  private NearestName() {}

  /**
   * The known name with the fewest edits, if that is at most a third of the longer name's length
   * (and at least one edit is always allowed).
   */
  public static Optional<String> of(String given, Collection<String> known) {
    String best = null;
    int bestDistance = Integer.MAX_VALUE;
    for (String name : known) {
      int distance = distance(given.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
      int allowed = Math.max(1, Math.max(given.length(), name.length()) / 3);
      if (distance <= allowed && distance < bestDistance) {
        best = name;
        bestDistance = distance;
      }
    }
    return Optional.ofNullable(best);
  }

  /** {@code "; did you mean X?"}, or nothing when no known name is near. */
  public static String suggestion(String given, Collection<String> known) {
    return of(given, known).map(name -> "; did you mean " + name + "?").orElse("");
  }

  /** Edits (insert, delete, replace, swap of neighbours) between two words. */
  static int distance(String left, String right) {
    int[][] cost = new int[left.length() + 1][right.length() + 1];
    for (int i = 0; i <= left.length(); i++) {
      cost[i][0] = i;
    }
    for (int j = 0; j <= right.length(); j++) {
      cost[0][j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      for (int j = 1; j <= right.length(); j++) {
        int replace = cost[i - 1][j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replace, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && left.charAt(i - 1) == right.charAt(j - 2)
            && left.charAt(i - 2) == right.charAt(j - 1)) {
          least = Math.min(least, cost[i - 2][j - 2] + 1);
        }
        cost[i][j] = least;
      }
    }
    return cost[left.length()][right.length()];
  }
}
