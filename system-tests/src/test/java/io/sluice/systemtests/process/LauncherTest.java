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
    assertRefused("stop needs a service", "stop");
    assertRefused("start needs a service", "start");
    assertRefused("--tiering must be a number from 0 to 20, not '21'", "up", "--tiering", "21");
    assertRefused("--set needs SERVICE.key=value, not 'tablet'", "up", "--set", "tablet");
    assertRefused(
        "unknown service in --set 'tirering'; did you mean", "up", "--set", "tirering.a=1");
    assertRefused("'a b' is not the name of a setting", "up", "--set", "tablet.a b=1");
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void theNumberOfCoordinatorsIsOddAndStaysAsItWas() throws Exception {
    assertRefused("--coordinators is 2; it must be 1, 3 or 5", "up", "--coordinators", "2");
    Files.writeString(home.resolve("cluster.conf"), "tablets=1\ncoordinators=1\nport-base=19000\n");
    Launcher.Result result = launcher.run("up", "--no-build", "--coordinators", "3");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output()).contains("on 1 coordinator").contains("another --home");
  }

  @Test
  void coordinatorsKeepTheirPorts() throws Exception {
    Files.writeString(home.resolve("cluster.conf"), "coordinators=3\nport-base=19000\n");
    Files.createDirectories(home.resolve("run"));
    Files.createFile(home.resolve("run").resolve("formed"));
    Launcher.Result moved = launcher.run("up", "--no-build", "--port-base", "20000");
    assertThat(moved.exitCode()).isEqualTo(1);
    assertThat(moved.output()).contains("know one another by the ports");
    assertThat(launcher.run("status").output())
        .as("without their directories, though they were ready once")
        .containsPattern("coordinator-2 +- +lost +19124 +19181")
        .containsPattern("coordinator-3 +- +lost +19125 +19182");
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
        .containsPattern("tablet-2 +- +stopped +19224 +19281")
        .containsPattern("tiering-1 +- +stopped +- +19380")
        .containsPattern("lake-1 +- +stopped +19423 +19480")
        .containsPattern("lake-sql-1 +- +stopped +19523 +19580")
        .containsPattern("admin-ui-1 +- +stopped +- +18080");
  }

  @Test
  void whatWasLeftOutStaysLeftOut() throws Exception {
    Files.writeString(home.resolve("cluster.conf"), "tablets=1\nlake=off\nconsole=off\n");
    assertThat(launcher.run("status").output())
        .contains("coordinator-1", "tablet-1")
        .doesNotContain("tiering", "lake", "admin-ui");
    Files.writeString(home.resolve("cluster.conf"), "tablets=1\ntiering=2\nsql=off\n");
    assertThat(launcher.run("status").output())
        .contains("tiering-1", "tiering-2", "lake-1", "admin-ui-1")
        .doesNotContain("lake-sql");
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
