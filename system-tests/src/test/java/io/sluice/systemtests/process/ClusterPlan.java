package io.sluice.systemtests.process;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What a process cluster consists of.
 *
 * @param coordinators number of coordinators
 * @param tablets number of tablets
 * @param workers number of tiering workers; with any there is a lake service
 * @param sql whether there is a SQL service; only with a lake
 * @param tabletOptions Java options of the tablets, settings given as {@code -Dkey=value} included
 * @param settings settings of services, each {@code SERVICE.key=value}, made when the ports of the
 *     cluster are known and before it starts
 */
public record ClusterPlan(
    int coordinators,
    int tablets,
    int workers,
    boolean sql,
    List<String> tabletOptions,
    Function<ProcessCluster, List<String>> settings) {
  public ClusterPlan {
    tabletOptions = List.copyOf(tabletOptions);
  }

  /** A coordinator and tablets, nothing else. */
  public static ClusterPlan ofTablets(int tablets, String... tabletOptions) {
    return new ClusterPlan(1, tablets, 0, false, List.of(tabletOptions), cluster -> List.of());
  }

  /** The same with so many coordinators. */
  public ClusterPlan withCoordinators(int number) {
    return new ClusterPlan(number, tablets, workers, sql, tabletOptions, settings);
  }

  /** The same with a lake service and tiering workers. */
  public ClusterPlan withLake(int newWorkers) {
    return new ClusterPlan(coordinators, tablets, newWorkers, sql, tabletOptions, settings);
  }

  /** The same with a SQL service. */
  public ClusterPlan withSql() {
    return new ClusterPlan(coordinators, tablets, workers, true, tabletOptions, settings);
  }

  /** The same with more settings. */
  public ClusterPlan withSettings(Function<ProcessCluster, List<String>> more) {
    return new ClusterPlan(
        coordinators,
        tablets,
        workers,
        sql,
        tabletOptions,
        cluster -> {
          List<String> all = new ArrayList<>(settings.apply(cluster));
          all.addAll(more.apply(cluster));
          return all;
        });
  }

  /** Names of the services as the launcher names them. */
  List<String> services() {
    List<String> names = new ArrayList<>();
    for (int coordinator = 1; coordinator <= coordinators; coordinator++) {
      names.add("coordinator-" + coordinator);
    }
    for (int tablet = 1; tablet <= tablets; tablet++) {
      names.add("tablet-" + tablet);
    }
    for (int worker = 1; worker <= workers; worker++) {
      names.add("tiering-" + worker);
    }
    if (workers > 0) {
      names.add("lake-1");
    }
    if (sql) {
      names.add("lake-sql-1");
    }
    return names;
  }

  /** Options of {@code up} that say which services there are. */
  List<String> upOptions() {
    List<String> options = new ArrayList<>(List.of("--tablets", Integer.toString(tablets)));
    options.addAll(List.of("--coordinators", Integer.toString(coordinators)));
    options.add("--no-console");
    if (workers == 0) {
      options.add("--no-lake");
    } else {
      options.addAll(List.of("--tiering", Integer.toString(workers)));
      options.add(sql ? "--sql" : "--no-sql");
    }
    return options;
  }

  /** Ports of the services, relative to the cluster's port base. */
  List<Integer> ports() {
    List<Integer> ports = new ArrayList<>();
    for (String service : services()) {
      ports.add(PortBases.httpPort(service, 0));
      if (!service.startsWith("tiering-")) {
        ports.add(PortBases.grpcPort(service, 0));
      }
      if (service.startsWith("coordinator-")) {
        ports.add(PortBases.raftPort(service, 0));
      }
    }
    return ports;
  }
}
