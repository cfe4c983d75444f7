package io.sluice.adminui.app;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The real console on a free port. */
public final class RunningConsole implements AutoCloseable {
  private final ConfigurableApplicationContext context;

  private RunningConsole(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /** Starts one that passes on to the given services. */
  public static RunningConsole start(URI coordinator, URI sql, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--sluice.console.coordinators=" + coordinator,
                "--sluice.console.sql=" + sql));
    arguments.addAll(List.of(more));
    SpringApplication application = new SpringApplication(AdminUiApplication.class);
    application.setRegisterShutdownHook(false);
    return new RunningConsole(application.run(arguments.toArray(String[]::new)));
  }

  /** Scheme, host and port. */
  public URI address() {
    return URI.create(
        "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"));
  }

  @Override
  public void close() {
    context.close();
  }
}
