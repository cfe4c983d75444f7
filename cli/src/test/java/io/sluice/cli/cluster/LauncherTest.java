package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LauncherTest {
  @TempDir Path directory;

  private Launcher launcher(String script) throws IOException {
    Path file = directory.resolve("launcher.sh");
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return new Launcher(file, directory.resolve("home"));
  }

  @Test
  void everyCallNamesTheHomeOfItsCluster() throws IOException {
    Launcher launcher = launcher("echo \"$@\" >> " + directory.resolve("calls"));

    launcher.upWithoutLake(19_000);
    launcher.upWithoutLake(19_100, 3, 4);
    launcher.kill("tablet-1");
    launcher.restart("tablet-1");
    launcher.down();

    String home = " --home " + directory.resolve("home");
    assertThat(Files.readAllLines(directory.resolve("calls")))
        .containsExactly(
            "up --no-build --no-lake --no-console --port-base 19000" + home,
            "up --no-build --no-lake --no-console --coordinators 3 --tablets 4 --port-base 19100"
                + home,
            "kill tablet-1" + home,
            "restart tablet-1" + home,
            "down" + home);
  }

  @Test
  void aFailureShowsTheLastLinesOfTheScript() throws IOException {
    Launcher launcher = launcher("echo starting; echo port 9123 is in use >&2; exit 3");

    assertThatThrownBy(() -> launcher.upWithoutLake(9_000))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("up --no-build --no-lake --no-console --port-base 9000")
        .hasMessageContaining("failed with exit code 3")
        .extracting(e -> ((CliException) e).hint())
        .asString()
        .isEqualTo("starting" + System.lineSeparator() + "port 9123 is in use");
  }

  @Test
  void doesNotWaitForServicesThatKeepTheOutputOpen() throws IOException {
    Launcher launcher = launcher("tail -f /dev/null & echo $! > " + directory.resolve("child"));
    launcher.upWithoutLake(9_000);

    long child = Long.parseLong(Files.readString(directory.resolve("child")).strip());
    ProcessHandle handle = ProcessHandle.of(child).orElseThrow();
    assertThat(handle.isAlive()).isTrue();
    handle.destroyForcibly();
  }

  @Test
  void readsAProcessIdFromItsFile() throws IOException {
    Launcher launcher = launcher("exit 0");
    assertThatThrownBy(() -> launcher.pid("tablet-1"))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("Cannot find the process of tablet-1");

    Path run = Files.createDirectories(directory.resolve("home").resolve("run"));
    Files.writeString(run.resolve("tablet-1.pid"), "4711\n");
    assertThat(launcher.pid("tablet-1")).isEqualTo(4711);
  }
}
