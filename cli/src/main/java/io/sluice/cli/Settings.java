package io.sluice.cli;

import io.sluice.client.ClientConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;

/**
 * Where the command runs, as the launcher script says through system properties.
 *
 * @param launcher the launcher script, if this process was started by it
 * @param home state directory of the cluster
 * @param coordinators {@code host:port} list of the cluster
 * @param endpoints where its services answer HTTP
 * @param repository root of the source tree
 */
public record Settings(
    Optional<Path> launcher, Path home, String coordinators, Endpoints endpoints, Path repository) {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);
  private static final String DEFAULT_HOME = ".sluice";
  private static final String DEFAULT_COORDINATORS = "127.0.0.1:9123";

  /**
   * Reads the properties {@code sluice.launcher}, {@code .home}, {@code .coordinators}, {@code
   * .repo} and those of {@link Endpoints}.
   */
  public static Settings of(Properties properties) {
    Path here = Path.of("").toAbsolutePath();
    Path repository = path(properties, "sluice.repo").orElse(here);
    return new Settings(
        path(properties, "sluice.launcher"),
        path(properties, "sluice.home").orElse(repository.resolve(DEFAULT_HOME)),
        properties.getProperty("sluice.coordinators", DEFAULT_COORDINATORS),
        Endpoints.of(properties),
        repository);
  }

  private static Optional<Path> path(Properties properties, String name) {
    String value = properties.getProperty(name, "");
    return value.isEmpty() ? Optional.empty() : Optional.of(Path.of(value).toAbsolutePath());
  }

  /** Whether the cluster is the one that the launcher works on when no home is named. */
  public boolean usesDefaultHome() {
    return home.equals(repository.resolve(DEFAULT_HOME));
  }

  /** How to call the launcher from the directory that this process runs in. */
  public String typedLauncher() {
    Path here = Path.of("").toAbsolutePath();
    return launcher
        .filter(script -> !here.equals(script.getParent()))
        .map(Path::toString)
        .orElse("./sluice");
  }

  /** Client settings for this cluster, with waits as short as a person at a terminal expects. */
  public ClientConfig client() {
    return ClientConfig.of(coordinators).withRequestTimeout(REQUEST_TIMEOUT);
  }

  /** The launcher script; a command that needs it calls this. */
  public Path requiredLauncher() {
    return launcher.orElseThrow(
        () ->
            new CliException(
                "This command starts and stops services, which only the launcher can do",
                "Run it as ./sluice COMMAND from the source tree."));
  }
}
