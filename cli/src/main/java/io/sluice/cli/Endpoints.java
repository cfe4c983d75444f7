package io.sluice.cli;

import java.util.Properties;

/**
 * Where the services of the cluster answer HTTP.
 *
 * @param coordinator REST of the coordinator
 * @param sql REST of the SQL service
 * @param iceberg the Iceberg REST catalog
 * @param console the web console
 */
public record Endpoints(String coordinator, String sql, String iceberg, String console) {
  /** Reads the properties {@code sluice.rest}, {@code .sql}, {@code .iceberg}, {@code .console}. */
  static Endpoints of(Properties properties) {
    return new Endpoints(
        properties.getProperty("sluice.rest", "http://127.0.0.1:9180"),
        properties.getProperty("sluice.sql", "http://127.0.0.1:9580"),
        properties.getProperty("sluice.iceberg", "http://127.0.0.1:9480/iceberg"),
        properties.getProperty("sluice.console", "http://127.0.0.1:8080"));
  }
}
