package io.sluice.systemtests.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the launcher says and does without any service running. */
final class LauncherTest {
  @TempDir Path home;
  private Launcher launcher;

  @BeforeEach
  void open() {
    launcher = new Launcher(home);
  }

  @Test
  void unknownCommandNamesTheNearest() {
    Launcher.Result result = launcher.run("statsu");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output()).contains("unknown command 'statsu'; did you mean 'status'?");
  }

  @Test
  void unknownOptionNamesTheNearest() {
    Launcher.Result result = launcher.run("up", "--tablet", "3");
    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.output()).contains("unknown option '--tablet'; did you mean '--tablets'?");
  }

  @Test
  void optionsAreCheckedBeforeAnythingIsDone() {
    assertRefused("--tablets must be a number from 1 to 50, not 'many'", "up", "--tablets", "many");
    assertRefused("--tablets must be a number from 1 to 50, not '0'", "up", "--tablets", "0");
    assertRefused("--port-base must be a number", "up", "--port-base", "99999");
    assertRefused("--timeout needs a value", "up", "--timeout");
    assertRefused("unknown service 'tablet-9'", "kill", "tablet-9");
    assertRefused("unknown option '--nokill'; did you mean '--no-kill'?", "demo", "--nokill");
    assertRefused("kill needs a service", "kill");
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void severalCoordinatorsAreRefusedByThisBuild() {
    Launcher.Result result = launcher.run("up", "--no-build", "--coordinators", "3");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output()).contains("--coordinators 3").contains("one coordinator");
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void tabletsCannotBeTakenAway() throws Exception {
    Files.writeString(home.resolve("cluster.conf"), "tablets=3\ncoordinators=1\nport-base=19000\n");
    Launcher.Result result = launcher.run("up", "--no-build", "--tablets", "2");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output()).contains("has 3 tablets");
  }

  @Test
  void statusOfNothingShowsRememberedServicesAndPorts() throws Exception {
    Files.writeString(home.resolve("cluster.conf"), "tablets=2\ncoordinators=1\nport-base=19000\n");
    Launcher.Result result = launcher.run("status");
    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.output())
        .containsPattern("coordinator-1 +- +stopped +19123 +19180")
        .containsPattern("tablet-1 +- +stopped +19223 +19280")
        .containsPattern("tablet-2 +- +stopped +19224 +19281");
  }

  @Test
  void downWithoutAClusterIsNoError() {
    Launcher.Result result = launcher.run("down");
    assertThat(result.exitCode()).isZero();
    assertThat(result.output()).contains("Nothing is running");
  }

  @Test
  void recycledProcessIdIsNeverTouched() throws Exception {
    Process stranger = new ProcessBuilder("tail", "-f", "/dev/null").start();
    try {
      Path run = Files.createDirectories(home.resolve("run"));
      Files.writeString(run.resolve("tablet-1.pid"), stranger.pid() + "\n");
      Files.writeString(run.resolve("tablet-1.start"), "1 another-boot\n");

      assertThat(launcher.run("status").output()).containsPattern("tablet-1 +- +died");
      assertThat(launcher.run("kill", "tablet-1").exitCode()).isEqualTo(1);
      assertThat(launcher.run("down").exitCode()).isZero();

      assertThat(stranger.isAlive()).isTrue();
      assertThat(run.resolve("tablet-1.pid")).doesNotExist();
    } finally {
      stranger.destroyForcibly();
    }
  }

  @Test
  void helpListsEveryCommand() {
    assertThat(launcher.run("help").output())
        .contains("up ", "down ", "status ", "logs ", "kill ", "restart ", "demo ", "test ")
        .contains("bench ", "build ", "version ", "help ");
  }

  private void assertRefused(String message, String... words) {
    Launcher.Result result = launcher.run(words);
    assertThat(result.exitCode()).as("%s", result.output()).isEqualTo(2);
    assertThat(result.output()).contains(message);
  }
}
