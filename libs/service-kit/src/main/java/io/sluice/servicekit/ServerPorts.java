package io.sluice.servicekit;

import java.util.Map;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.grpc.server.lifecycle.GrpcServerStartedEvent;

/**
 * The ports the servers really listen on, which differ from the configured ones when those are 0.
 * Known from {@link LifecyclePhase#SERVING} on; the gRPC port is also the property {@code
 * local.grpc.server.port}, as {@code local.server.port} is that of HTTP.
 */
public final class ServerPorts implements ApplicationListener<ApplicationEvent> {
  private static final String GRPC_PROPERTY = "local.grpc.server.port";

  private final ConfigurableEnvironment environment;
  private volatile int grpc = -1;
  private volatile int http = -1;

  ServerPorts(ConfigurableEnvironment environment) {
    this.environment = environment;
  }

  /** Port of the gRPC server. */
  public int grpc() {
    return known("gRPC", grpc);
  }

  /** Port of the HTTP server. */
  public int http() {
    return known("HTTP", http);
  }

  private static int known(String server, int port) {
    if (port < 0) {
      throw new IllegalStateException("The " + server + " server does not listen yet");
    }
    return port;
  }

  @Override
  public void onApplicationEvent(ApplicationEvent event) {
    if (event instanceof GrpcServerStartedEvent started && started.getPort() > 0) {
      grpc = started.getPort();
      environment
          .getPropertySources()
          .addFirst(new MapPropertySource("sluice-grpc-port", Map.of(GRPC_PROPERTY, grpc)));
    } else if (event instanceof WebServerInitializedEvent initialized
        && initialized.getApplicationContext().getServerNamespace() == null) {
      http = initialized.getWebServer().getPort();
    }
  }
}
