package io.sluice.cli.demo;

import io.sluice.cli.CliException;
import io.sluice.cli.CommandContext;
import io.sluice.cli.Settings;
import io.sluice.cli.cluster.Launcher;
import io.sluice.cli.rest.RestClient;
import io.sluice.cli.sql.SqlClient;
import io.sluice.client.Connection;
import io.sluice.client.ServerDescription;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The steps of the demo, one after another, on one cluster. */
final class DemoRun {
  private static final String AIRPORTS = "docs/examples/data/airports.csv";
  private static final Duration REST_TIMEOUT = Duration.ofSeconds(10);

  private final CommandContext context;
  private final FlightsFile file;
  private final Connection connection;
  private final Connection writerConnection;

  DemoRun(
      CommandContext context,
      FlightsFile file,
      Connection connection,
      Connection writerConnection) {
    this.context = context;
    this.file = file;
    this.connection = connection;
    this.writerConnection = writerConnection;
  }

  /** The servers that live, at least one. */
  List<ServerDescription> liveServers() {
    List<ServerDescription> live =
        connection.admin().servers().stream().filter(ServerDescription::alive).toList();
    if (live.isEmpty()) {
      throw new CliException(
          "The cluster has no live tablet server", "./sluice status shows what runs.");
    }
    return live;
  }

  /** Whether every check passed. */
  boolean run(boolean kill) throws Exception {
    Settings settings = context.settings();
    Path repository = settings.repository();
    String tablet = "tablet-" + liveServers().get(0).serverId();
    DemoOutput output = new DemoOutput(context.terminal(), context.time());
    FlightsTable flights = new FlightsTable(connection);
    AirportsTable airports = new AirportsTable(connection);
    AirportsFile airportsFile = new AirportsFile(repository.resolve(AIRPORTS));
    List<Airport> airportsOfFile = airportsFile.read();
    SqlClient sql = new SqlClient(settings.endpoints().sql());
    RestClient coordinator =
        new RestClient(settings.endpoints().coordinators(), "coordinator-1", REST_TIMEOUT);
    LakeStep lake = new LakeStep(output, flights, coordinator);

    new TablesStep(output, connection.admin(), sql).run(repository);
    new LoadStep(output, file, flights).run();
    new ScanStep(output, flights).run();
    new FollowStep(output, file, flights, writerConnection).run();
    new KeysStep(output, airports, airportsOfFile).run();
    lake.run();
    new UnionStep(output, file, flights, sql, coordinator).run(FollowStep.ROWS, airportsFile);
    if (kill) {
      new KillStep(output, flights, new Launcher(settings.requiredLauncher(), settings.home()))
          .run(tablet);
    }
    AirportsCheck check = AirportsCheck.of(airports, airportsOfFile);
    return new CheckStep(output, file, flights, check, sql)
        .run(FollowStep.ROWS + UnionStep.ROWS, lake);
  }
}
