package io.sluice.systemtests.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A cluster of real service processes on loopback, started through the launcher script from what is
 * built, with faults on demand. {@link #close()} kills whatever is left of it, by process id.
 *
 * <p>Services are named as the launcher names them: {@code coordinator-1}, {@code tablet-1} and so
 * on. Not thread-safe, but {@link #kill}, {@link #pause} and {@link #resume} may be called while
 * other threads use the cluster as clients.
 */
public final class ProcessCluster implements AutoCloseable {
  private static final int START_ATTEMPTS = 3;
  private static final int SHOWN_LINES = 60;

  /** Tests start tablets often and none of them runs for long. */
  private static final String QUICK_START = "-XX:TieredStopAtLevel=1";

  private final Path home;
  private final ClusterPlan plan;
  private final int portBase;
  private final Launcher launcher;
  private final Map<String, ServiceProcess> processes = new LinkedHashMap<>();
  private final List<String> settings;

  private ProcessCluster(Path home, ClusterPlan plan) {
    this.home = home;
    this.plan = plan;
    this.portBase = PortBases.take(plan);
    this.launcher = new Launcher(home, environment(plan));
    this.settings = List.copyOf(plan.settings().apply(this));
  }

  private static Map<String, String> environment(ClusterPlan plan) {
    return Map.of(
        "SLUICE_TABLET_JAVA_OPTS",
        QUICK_START + " " + String.join(" ", plan.tabletOptions()),
        "SLUICE_TIERING_JAVA_OPTS",
        QUICK_START,
        "SLUICE_LAKE_SQL_JAVA_OPTS",
        QUICK_START);
  }

  /**
   * Starts a coordinator and {@code tablets} tablets and returns when all are ready.
   *
   * @param tabletOptions Java options of the tablets, settings given as {@code -Dkey=value}
   *     included
   */
  public static ProcessCluster start(Path home, int tablets, String... tabletOptions) {
    return start(home, ClusterPlan.ofTablets(tablets, tabletOptions));
  }

  /** Starts what the plan names and returns when all are ready. */
  public static ProcessCluster start(Path home, ClusterPlan plan) {
    for (int attempt = 1; ; attempt++) {
      ProcessCluster cluster = new ProcessCluster(home, plan);
      LiveClusters.add(cluster);
      Launcher.Result result = cluster.up();
      if (result.exitCode() == 0) {
        return cluster;
      }
      cluster.close();
      // Another process may have taken a port between the look and the start.
      if (attempt == START_ATTEMPTS || !result.output().contains("is in use")) {
        result.orFail("Starting a cluster in " + home);
      }
    }
  }

  /** The coordinators as a client wants them: {@code host:port}. */
  public String coordinators() {
    return plan.services().stream()
        .filter(service -> service.startsWith("coordinator-"))
        .map(this::grpcAddress)
        .collect(Collectors.joining(","));
  }

  /** Where the first coordinator serves REST and health. */
  public String coordinatorHttp() {
    return httpUrl("coordinator-1");
  }

  /** The port of a tablet's Arrow Flight service; tablets count from 1. */
  public int flightPort(int tablet) {
    return PortBases.grpcPort("tablet-" + tablet, portBase);
  }

  /** Where a tablet serves health and metrics; tablets count from 1. */
  public String tabletHttp(int tablet) {
    return httpUrl("tablet-" + tablet);
  }

  /** Where a service serves gRPC, {@code host:port}. */
  public String grpcAddress(String service) {
    return "127.0.0.1:" + PortBases.grpcPort(service, portBase);
  }

  /** Root of what a service serves over HTTP. */
  public String httpUrl(String service) {
    return "http://127.0.0.1:" + PortBases.httpPort(service, portBase);
  }

  /** State directory of the cluster. */
  public Path home() {
    return home;
  }

  /** Data directory of a tablet; tablets count from 1. */
  public Path tabletData(int tablet) {
    return home.resolve("tablet-" + tablet);
  }

  /** Directory of the lake's tables. */
  public Path warehouse() {
    return home.resolve("warehouse");
  }

  /** The file with the secret that the services share. */
  public Path secret() {
    return home.resolve("cluster-secret");
  }

  /** Names of all services. */
  public List<String> services() {
    return plan.services();
  }

  /** Process id of a service, whether it still lives or not. */
  public long pid(String service) {
    return process(service).pid();
  }

  /** Whether the service's process lives (a paused one does). */
  public boolean alive(String service) {
    return process(service).alive();
  }

  /** Starts every service that does not run; returns when all are ready. */
  public Launcher.Result up() {
    List<String> words = new ArrayList<>(List.of("up", "--no-build", "--timeout", "120"));
    words.addAll(List.of("--port-base", Integer.toString(portBase)));
    words.addAll(plan.upOptions());
    settings.forEach(setting -> words.addAll(List.of("--set", setting)));
    Launcher.Result result = launcher.run(words.toArray(String[]::new));
    rememberProcesses();
    return result;
  }

  /** Stops every service in good order. */
  public void down() {
    launcher.run("down").orFail("Stopping the cluster in " + home);
  }

  /** Kills a service with SIGKILL and returns when its process is gone. */
  public void kill(String service) {
    process(service).kill();
  }

  /** Asks a service to stop (SIGTERM) and returns when its process is gone. */
  public void terminate(String service) {
    process(service).terminate();
  }

  /** Freezes a service (SIGSTOP); it keeps its ports and connections. */
  public void pause(String service) {
    process(service).pause();
  }

  /** Lets a frozen service go on (SIGCONT). */
  public void resume(String service) {
    process(service).resume();
  }

  /** Stops the service if it runs, starts it, and returns when it is ready. */
  public void restart(String service) {
    launcher.run("restart", service, "--timeout", "120").orFail("Restarting " + service);
    rememberProcesses();
  }

  /**
   * Starts services that are dead, with what they were started with before, at the same time, and
   * returns when they are ready. As {@link #restart}, but soon done.
   */
  public void startAgain(String... dead) {
    List<SecondStart> started = new ArrayList<>();
    for (String service : dead) {
      ServiceProcess before = process(service);
      if (before.alive()) {
        throw new AssertionError(service + " (pid " + before.pid() + ") runs");
      }
      if (before.command().isEmpty()) {
        restart(service);
        continue;
      }
      SecondStart start = SecondStart.of(home, service, httpUrl(service), before.command());
      processes.put(service, start.process());
      started.add(start);
    }
    started.forEach(SecondStart::awaitReady);
  }

  /** Starts again whatever is dead, and returns when it is ready. */
  public void startDead() {
    startAgain(services().stream().filter(service -> !alive(service)).toArray(String[]::new));
  }

  /** Runs the launcher's script on this cluster. */
  public Launcher.Result run(String... words) {
    return launcher.run(words);
  }

  /** The last lines of every service's log. */
  public String logs() {
    StringBuilder text = new StringBuilder();
    for (String service : services()) {
      text.append("---- ").append(service).append(" ----\n").append(lastLines(service));
    }
    return text.toString();
  }

  /** Kills every process of this cluster that is left. Twice is harmless. */
  @Override
  public void close() {
    rememberProcesses();
    processes.values().stream().filter(ServiceProcess::alive).forEach(ServiceProcess::kill);
    if (LiveClusters.remove(this)) {
      PortBases.giveBack(portBase);
    }
  }

  private ServiceProcess process(String service) {
    ServiceProcess process = processes.get(service);
    if (process == null) {
      throw new AssertionError(service + " was not started in " + home + "; " + processes.keySet());
    }
    return process;
  }

  /** Reads the process ids that the launcher wrote; ids of dead processes keep their old entry. */
  private void rememberProcesses() {
    for (String service : services()) {
      Path file = home.resolve("run").resolve(service + ".pid");
      if (Files.exists(file)) {
        long pid = Long.parseLong(read(file).strip());
        ServiceProcess known = processes.get(service);
        if ((known == null || known.pid() != pid) && ProcessHandle.of(pid).isPresent()) {
          processes.put(service, ServiceProcess.of(service, pid));
        }
      }
    }
  }

  private String lastLines(String service) {
    Path file = home.resolve("logs").resolve(service + ".log");
    if (!Files.exists(file)) {
      return "(no log)\n";
    }
    List<String> lines = read(file).lines().toList();
    List<String> last = lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size());
    return String.join("\n", last) + "\n";
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + file, e);
    }
  }
}
