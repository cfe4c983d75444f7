package io.sluice.lake.app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.TimeSource;
import io.sluice.lake.duck.DuckSettings;
import io.sluice.lake.rest.SqlController;
import io.sluice.lake.sql.SqlGateway;
import io.sluice.lake.sql.SqlLimits;
import io.sluice.lake.union.ClientCluster;
import io.sluice.lake.union.GrpcLake;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.servicekit.ClientPresence;
import io.sluice.servicekit.LifecyclePhase;
import io.sluice.servicekit.ReadinessGate;
import io.sluice.servicekit.ServiceIdentity;
import io.sluice.servicekit.ServiceLifecycle;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The SQL engine. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "sluice.lake.role", havingValue = "sql")
@EnableConfigurationProperties(SqlProperties.class)
final class SqlRole {
  private static final String ENGINE = "engine";

  @Bean
  ServiceIdentity sqlIdentity() {
    return ServiceIdentity.of("lake-sql", "1", LakeApplication.class);
  }

  /** Readiness asks for this process alone: coordinator and lake are asked by each statement. */
  @Bean
  ReadinessGate sqlReadiness() {
    return ReadinessGate.of(ENGINE);
  }

  @Bean
  Connection sqlConnection(SqlProperties properties) {
    return Connection.open(ClientConfig.of(String.join(",", properties.coordinators())));
  }

  @Bean
  GrpcLake sqlLake(SqlProperties properties, ClusterSecret secret, TimeSource time) {
    return new GrpcLake(
        properties.lake(), properties.warehouse(), secret, time, properties.lakeTimeout());
  }

  @Bean
  SqlGateway sqlGateway(
      SqlProperties properties, Connection connection, GrpcLake lake, MeterRegistry registry) {
    ProcessMemory.limit(processBytes(properties));
    return SqlGateway.open(
        new SqlLimits(properties.maxConcurrent(), properties.timeout(), properties.maxRows()),
        new DuckSettings(
            properties.memory().toBytes(),
            properties.threads(),
            properties.workDir().toAbsolutePath().resolve("spill"),
            properties.maxSpill().toBytes()),
        new ClientCluster(connection),
        lake,
        new SqlMetrics(registry));
  }

  /**
   * The heap, and for each statement twice what the engine may have, its stack, and some for all.
   */
  private static long processBytes(SqlProperties properties) {
    long statement = 2 * properties.memory().toBytes() + (512L << 20);
    return Runtime.getRuntime().maxMemory()
        + properties.maxConcurrent() * statement
        + (1536L << 20);
  }

  /** Running statements end before the HTTP server waits for its requests. */
  @Bean
  ServiceLifecycle sqlStatements(SqlGateway gateway, ReadinessGate readiness) {
    return new ServiceLifecycle(
        "the SQL statements",
        LifecyclePhase.SERVING,
        () -> readiness.open(ENGINE),
        () -> {
          readiness.close(ENGINE, "stopping");
          gateway.stop();
        });
  }

  @Bean
  SqlController sqlController(SqlGateway gateway) {
    return new SqlController(gateway);
  }

  /** So that a statement ends when its client goes away. */
  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> clientPresence() {
    return server -> server.addEngineValves(new ClientPresence());
  }

  @Bean
  MeterBinder sqlRunning(SqlGateway gateway) {
    return registry ->
        Gauge.builder("sluice.sql.running", gateway, SqlGateway::running)
            .description("Statements that run now")
            .register(registry);
  }
}
