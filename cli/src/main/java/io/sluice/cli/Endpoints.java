package io.sluice.cli;

import java.util.List;
import java.util.Properties;

/**
 * Where the services of the cluster answer HTTP.
 *
 * @param coordinators REST of the coordinators
 * @param sql REST of the SQL service
 * @param iceberg the Iceberg REST catalog
 * @param console the web console
 */
public record Endpoints(List<String> coordinators, String sql, String iceberg, String console) {
  public Endpoints {
    coordinators = List.copyOf(coordinators);
  }

  /**
   * Reads the properties {@code sluice.rest}, which may be several with commas, {@code .sql},
   * {@code .iceberg}, {@code .console}.
   */
  static Endpoints of(Properties properties) {
    return new Endpoints(
        List.of(properties.getProperty("sluice.rest", "http://127.0.0.1:9180").split(",")),
        properties.getProperty("sluice.sql", "http://127.0.0.1:9580"),
        properties.getProperty("sluice.iceberg", "http://127.0.0.1:9480/iceberg"),
        properties.getProperty("sluice.console", "http://127.0.0.1:8080"));
  }
}
