package io.sluice.servicekit;

import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/** Logs one line when the service is up: who, where it listens, how long it took. */
final class StartupReport implements ApplicationListener<ApplicationReadyEvent> {
  private static final Logger LOG = LoggerFactory.getLogger(StartupReport.class);

  private final ServiceIdentity identity;

  StartupReport(ServiceIdentity identity) {
    this.identity = identity;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent event) {
    Environment environment = event.getApplicationContext().getEnvironment();
    long tookMs = event.getTimeTaken() == null ? 0 : event.getTimeTaken().toMillis();
    LOG.info(
        "{} {} up after {} s: {}HTTP {}:{}",
        identity,
        identity.version(),
        String.format(Locale.ROOT, "%.1f", tookMs / 1000.0),
        grpc(environment),
        environment.getProperty("server.address"),
        environment.getProperty("local.server.port", environment.getProperty("server.port", "?")));
  }

  private static String grpc(Environment environment) {
    if (!environment.getProperty("spring.grpc.server.enabled", Boolean.class, true)) {
      return "";
    }
    return "gRPC "
        + environment.getProperty("spring.grpc.server.address")
        + ":"
        + environment.getProperty(
            "local.grpc.server.port", environment.getProperty("spring.grpc.server.port", "?"))
        + ", ";
  }
}
