package io.sluice.systemtests.replicated;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.client.TableDescription;
import io.sluice.systemtests.replicated.History.Kind;
import io.sluice.systemtests.replicated.Reading.Records;
import io.sluice.systemtests.replicated.Reading.Replicated;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Three tables, and clients that write and read them all the time: sources that append, one that
 * adds up, clients that change cells, lookups and scans. What they learn is in the {@link History}.
 */
final class Workload implements AutoCloseable {
  private static final Duration PATIENT = Duration.ofMinutes(2);
  private static final Duration LINGER = Duration.ofMillis(2);
  private static final int CELL_CLIENTS = 2;

  private final String database;
  private final Load load;
  private final History history;
  private final List<Client> writers = new ArrayList<>();
  private final List<Client> readers = new ArrayList<>();

  /**
   * How much there is to do.
   *
   * @param sources named writers of the log table
   * @param cells rows of the table of cells
   * @param sums keys of the table that adds up
   * @param rowsPerSecond of each client
   */
  record Load(int buckets, int replicas, int sources, int cells, int sums, int rowsPerSecond) {
    /** Enough to find a defect, and air for the servers on a small machine. */
    static final Load LIGHT = new Load(2, 3, 2, 300, 40, 250);

    /** Always something under way, where the servers' starts are what takes the time. */
    static final Load GENTLE = new Load(2, 3, 2, 300, 40, 100);
  }

  private Workload(String database, Load load) {
    this.database = database;
    this.load = load;
    this.history = new History(load.sources, load.cells, load.sums);
  }

  /** Creates the tables in a database of their own and starts the clients. */
  static Workload start(String coordinators, String database, Load load, SplittableRandom random) {
    Workload workload = new Workload(database, load);
    ClientConfig config = config(coordinators);
    try (Connection connection = Connection.open(config)) {
      workload.create(connection);
    }
    workload.addClients(config, random);
    workload.writers.forEach(Client::start);
    workload.readers.forEach(Client::start);
    return workload;
  }

  /** How clients of a workload reach the cluster: with patience for any fault that ends. */
  static ClientConfig config(String coordinators) {
    return ClientConfig.of(coordinators)
        .withDeliveryTimeout(PATIENT)
        .withRequestTimeout(PATIENT)
        .withLinger(LINGER);
  }

  private void create(Connection connection) {
    connection.admin().createDatabase(database, true);
    LogTable.create(connection, path(Kind.LOG), load.buckets, load.replicas);
    KeyedTables.createCells(connection, path(Kind.CELLS), load.buckets, load.replicas);
    KeyedTables.createSums(connection, path(Kind.SUMS), load.buckets, load.replicas);
  }

  private void addClients(ClientConfig config, SplittableRandom random) {
    for (SourceHistory source : history.sources()) {
      writers.add(
          new AppendClient(
              history,
              config,
              path(Kind.LOG),
              source.number(),
              random.split(),
              load.rowsPerSecond));
    }
    writers.add(
        new SumClient(history, config, path(Kind.SUMS), random.split(), load.rowsPerSecond));
    for (int client = 0; client < CELL_CLIENTS; client++) {
      int size = load.cells / CELL_CLIENTS;
      writers.add(
          new CellClient(
              "cells-" + client,
              history,
              config,
              path(Kind.CELLS),
              history.cells().subList(client * size, (client + 1) * size),
              random.split(),
              load.rowsPerSecond));
    }
    for (int client = 0; client < 2; client++) {
      readers.add(
          new LookupClient(
              "lookups-" + client,
              history,
              config,
              path(Kind.CELLS),
              path(Kind.SUMS),
              random.split(),
              load.rowsPerSecond));
    }
    readers.add(new WatchClient(history, config, paths()));
    for (Kind kind : Kind.values()) {
      readers.add(
          new ScanClient(
              "scans-of-" + path(kind), history, config, kind, path(kind), random.split()));
    }
  }

  History history() {
    return history;
  }

  /** Full name of a table. */
  String path(Kind kind) {
    return database + "." + kind.name().toLowerCase(Locale.ROOT);
  }

  /** Full names of all tables. */
  List<String> paths() {
    List<String> paths = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      paths.add(path(kind));
    }
    return paths;
  }

  /**
   * Ends the clients, which takes as long as their changes have no outcome, and reads everything.
   *
   * @param replicas reads what the replicas of a table have on disk
   */
  Reading finish(Connection connection, Function<TableDescription, List<Replicated>> replicas) {
    close();
    TableReader reader = new TableReader(connection, history);
    Map<Kind, List<Records>> logs = new EnumMap<>(Kind.class);
    List<Replicated> stored = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      logs.put(kind, reader.records(kind, path(kind)));
      stored.addAll(replicas.apply(connection.table(path(kind)).description()));
    }
    return new Reading(
        logs,
        reader.rows(Kind.CELLS, path(Kind.CELLS)),
        reader.rows(Kind.SUMS, path(Kind.SUMS)),
        Collections.unmodifiableList(stored));
  }

  /** Ends the clients. Twice is harmless. */
  @Override
  public void close() {
    writers.forEach(Client::finish);
    readers.forEach(Client::finish);
    writers.forEach(Client::close);
    readers.forEach(Client::close);
  }
}
