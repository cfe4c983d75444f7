package io.sluice.cli.bench.compare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One piece of work that several lanes do.
 *
 * @param name what is done, for people; unique in a benchmark
 * @param words what every client process is told
 * @param lanes who does it; exactly one of them is Sluice's
 */
record Contest(String name, Map<String, String> words, List<Lane> lanes) {
  Contest {
    words = Map.copyOf(words);
    lanes = List.copyOf(lanes);
    if (lanes.stream().filter(Lane::isSluice).count() != 1) {
      throw new IllegalArgumentException("Contest " + name + " needs one lane of Sluice");
    }
  }

  /** What the client of a lane is told: a lane's word counts before the contest's. */
  Map<String, String> words(Lane lane) {
    Map<String, String> all = new LinkedHashMap<>(words);
    all.putAll(lane.words());
    return all;
  }

  /** The same with the lanes of these products only, and Sluice's. */
  Contest with(List<String> products) {
    return new Contest(
        name,
        words,
        lanes.stream()
            .filter(lane -> lane.isSluice() || products.contains(lane.product()))
            .toList());
  }
}
