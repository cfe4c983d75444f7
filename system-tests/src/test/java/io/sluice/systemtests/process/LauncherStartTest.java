package io.sluice.systemtests.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the launcher starts and what it does before, with services that do nothing. */
final class LauncherStartTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String TRAINS = "Preparing class-data archives";
  private static final String RECORDS = "-XX:ArchiveClassesAtExit";

  @TempDir Path root;
  @TempDir Path home;
  private FakeCheckout checkout;
  private int base;

  @BeforeEach
  void open() throws IOException {
    checkout = new FakeCheckout(root);
    base = PortBases.take(ClusterPlan.ofTablets(1).withCoordinators(3));
  }

  @AfterEach
  void stop() {
    launcher(true, false).run("down");
    PortBases.giveBack(base);
  }

  private Launcher launcher(boolean stays, boolean archives) {
    return checkout.launcher(home, stays, archives);
  }

  private void remember(int coordinators) throws IOException {
    Files.writeString(
        home.resolve("cluster.conf"),
        "tablets=1\nlake=off\nconsole=off\ncoordinators="
            + coordinators
            + "\nport-base="
            + base
            + "\n");
  }

  private static Launcher.Result up(Launcher launcher) {
    return launcher.run("up", "--no-build", "--timeout", "1");
  }

  @Test
  void archivesAreMadeBeforeTheFirstStart() throws Exception {
    remember(1);
    Launcher.Result result = up(launcher(false, true));
    assertThat(result.output())
        .contains(TRAINS + " for faster starts (once per build): coordinator tablet")
        .contains("no class-data archive for coordinator")
        .contains("Starting coordinator-1 tablet-1");
    assertThat(checkout.starts()).anyMatch(words -> words.contains(RECORDS));
    assertThat(up(launcher(false, true)).output()).doesNotContain(TRAINS);
    assertThat(checkout.temporary()).isEmptyDirectory();
  }

  @Test
  void nobodyWaitsForArchivesWhileAServiceIsAway() throws Exception {
    remember(1);
    assertThat(up(launcher(true, false)).output()).contains("not ready after 1 s");
    for (String command : List.of("start", "restart")) {
      launcher(true, true).run("kill", "tablet-1").orFail("kill");
      assertThat(launcher(true, true).run(command, "tablet-1", "--timeout", "1").output())
          .contains("tablet-1 not ready")
          .doesNotContain(TRAINS);
    }
    launcher(true, true).run("kill", "tablet-1").orFail("kill");
    assertThat(up(launcher(true, true)).output())
        .contains("Starting tablet-1")
        .doesNotContain(TRAINS);
    assertThat(checkout.starts()).noneMatch(words -> words.contains(RECORDS));
  }

  @Test
  void killedWhileItTrainsItLeavesNothingRunning() throws Exception {
    remember(1);
    Path output = root.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(
            checkout.script().toString(), "up", "--no-build", "--home", home.toString());
    builder.environment().putAll(checkout.environment(true, true));
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    Await.until(
        "services are trained",
        SOON,
        () -> checkout.starts().stream().filter(words -> words.contains(RECORDS)).count() == 2);
    assertThat(trained()).hasSizeGreaterThan(1);

    process.destroy();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ends").isTrue();
    assertThat(process.exitValue()).as("%s", Files.readString(output)).isEqualTo(143);
    Await.until("nothing runs", SOON, () -> trained().isEmpty());
    assertThat(checkout.temporary()).isEmptyDirectory();
    // It has not failed: the next one tries again.
    assertThat(up(launcher(false, true)).output()).contains(TRAINS);
  }

  /** Processes of the throw-away cluster. */
  private List<ProcessHandle> trained() {
    String place = checkout.temporary().toString();
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").contains(place))
        .toList();
  }

  @Test
  void aCoordinatorThatHasLostItsMetadataIsLeftOut() throws Exception {
    remember(3);
    Files.createFile(Files.createDirectories(home.resolve("run")).resolve("formed"));
    Files.createDirectories(home.resolve("coordinator/raft"));
    Files.createDirectories(home.resolve("coordinator-3/coordinator/raft"));
    assertThat(up(launcher(true, false)).output())
        .contains("coordinator-2 has lost its metadata and is left out")
        .contains("Starting coordinator-1 coordinator-3 tablet-1")
        .contains("coordinator-1 coordinator-3 tablet-1 not ready");
    assertThat(launcher(true, false).run("start", "coordinator-2").output())
        .contains("cannot start empty under its old id");
    assertThat(checkout.starts()).noneMatch(words -> words.contains("sluice.coordinator.id=2"));
    assertThat(launcher(true, false).run("status").output())
        .containsPattern("coordinator-1 +\\d+ +not ready")
        .containsPattern("coordinator-2 +- +lost");

    HttpServer first =
        HttpServer.create(
            new InetSocketAddress(
                InetAddress.getLoopbackAddress(), PortBases.httpPort("coordinator-1", base)),
            0);
    first.createContext(
        "/",
        exchange -> {
          byte[] group =
              "{\"self\":\"1\",\"leader\":\"4\",\"members\":[{\"id\":\"1\"},{\"id\":\"4\"}]}"
                  .getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, group.length);
          exchange.getResponseBody().write(group);
          exchange.close();
        });
    first.start();
    try {
      assertThat(launcher(true, false).run("status").output())
          .containsPattern("coordinator-2 +- +replaced");
    } finally {
      first.stop(0);
    }
  }

  @Test
  void helpOnACommandOfTheCommandLineComesFromThere() throws Exception {
    launcher(false, false).run("help", "alter");
    launcher(false, false).run("alter", "--help");
    assertThat(checkout.starts()).hasSize(2).allMatch(words -> words.endsWith(" alter --help"));
    assertThat(launcher(false, false).run("help", "up").output()).contains("--tablets N");
    assertThat(launcher(false, false).run("help", "altr").output())
        .contains("unknown command 'altr'; did you mean 'alter'?");
  }

  @Test
  void withoutAnyMetadataNothingIsStarted() throws Exception {
    remember(3);
    Files.createFile(Files.createDirectories(home.resolve("run")).resolve("formed"));
    Launcher.Result result = up(launcher(false, false));
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output()).contains("every coordinator in " + home + " has lost its metadata");
    assertThat(checkout.starts()).isEmpty();
  }
}
