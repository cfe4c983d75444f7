package io.sluice.cli.bench.compare;

import io.sluice.cli.bench.Metric;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Work on tables with a primary key that are filled once. Which work is said by {@link
 * KeyedComparisons}.
 *
 * @param name its name on the command line
 * @param summary what it measures, in one line
 * @param verb order of a window
 * @param windowMs length of a window when nothing else is asked for
 * @param work what its lanes do, with the words that do not depend on what is asked for
 * @param shown what is shown of each lane
 * @param bounds what Sluice has to reach; what is empty is left out
 */
record KeyedComparison(
    String name,
    String summary,
    String verb,
    long windowMs,
    List<Contest> work,
    List<Metric> shown,
    Function<Standings, Stream<Optional<Goal>>> bounds)
    implements Comparison {
  @Override
  public List<String> peers() {
    return List.of(Peers.FLUSS);
  }

  @Override
  public boolean runsAlone() {
    return true;
  }

  @Override
  public boolean sharesServers() {
    return true;
  }

  @Override
  public List<Contest> contests(ComparePlan plan) {
    return work.stream().map(contest -> asked(contest, plan)).toList();
  }

  private Contest asked(Contest contest, ComparePlan plan) {
    Map<String, String> words =
        new LinkedHashMap<>(KeyedTables.words("", "", plan.keysOr(KeyedTables.KEYS)));
    words.putAll(contest.words());
    if (plan.rows() > 0) {
      words.put("rows", Long.toString(plan.rows()));
    } else {
      words.put("millis", Long.toString(plan.windowMillisOr(windowMs)));
    }
    return new Contest(contest.name(), words, contest.lanes());
  }

  @Override
  public void prepare(ClientSession client, List<Contest> contests, Consumer<String> progress)
      throws Exception {
    KeyedTables.fill(client, contests, progress);
  }

  @Override
  public Map<Metric, Double> window(ClientSession client, Contest contest, Lane lane)
      throws Exception {
    return Answers.metrics(client.order(verb, contest.words(lane)));
  }

  @Override
  public List<Goal> goals(Standings standings) {
    return bounds.apply(standings).flatMap(Optional::stream).toList();
  }
}
