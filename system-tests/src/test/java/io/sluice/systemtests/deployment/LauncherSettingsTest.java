package io.sluice.systemtests.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.systemtests.architecture.RepositoryRoot;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The arguments that the launcher gives to services, from its own functions. */
final class LauncherSettingsTest {
  private static final Map<String, String> PACKAGES =
      Map.of(
          "coordinator-1", "io.sluice.coordinator",
          "tablet-1", "io.sluice.tablet",
          "tiering-1", "io.sluice.tiering",
          "lake-1", "io.sluice.lake",
          "lake-sql-1", "io.sluice.lake",
          "admin-ui-1", "io.sluice.adminui");

  @TempDir Path home;

  @Test
  void everyArgumentIsASettingOfItsService() throws Exception {
    assertThat(bash("load_conf; service_names"))
        .containsExactlyInAnyOrderElementsOf(PACKAGES.keySet());
    for (Map.Entry<String, String> service : PACKAGES.entrySet()) {
      List<String> keys =
          arguments(service.getKey()).stream()
              .map(argument -> argument.substring(2, argument.indexOf('=')))
              .toList();
      assertThat(SettingKeys.of(service.getValue()))
          .as("settings of %s", service.getKey())
          .containsAll(keys);
    }
  }

  @Test
  void settingsTakeThePlaceOfTheLaunchersOwn() throws Exception {
    Files.writeString(
        home.resolve("cluster.conf"),
        """
        port-base=19000
        set=tiering.sluice.tiering.lake=127.0.0.1:7
        set=all.some.key=a=b, c
        set=tiering-2.sluice.tiering.lake=127.0.0.1:8
        """);
    assertThat(arguments("tiering-1"))
        .contains("--server.port=19380", "--sluice.tiering.coordinators=127.0.0.1:19123")
        .contains("--sluice.tiering.lake=127.0.0.1:7", "--some.key=a=b, c")
        .doesNotContain("--sluice.tiering.lake=127.0.0.1:19423");
    assertThat(arguments("tiering-2"))
        .contains("--server.port=19381", "--sluice.tiering.lake=127.0.0.1:8")
        .doesNotContain("--sluice.tiering.lake=127.0.0.1:7");
    assertThat(arguments("lake-sql-1"))
        .contains(
            "--sluice.lake.role=sql", "--sluice.sql.lake=127.0.0.1:19423", "--some.key=a=b, c");
    assertThat(arguments("coordinator-1"))
        .contains("--sluice.tiering.workers-expected=1", "--some.key=a=b, c");
  }

  @Test
  void aSettingThatIsMadeAgainReplacesTheFirst() throws Exception {
    assertThat(
            bash(
                "SETTINGS=(); add_setting a.b=1; add_setting a.c=2; add_setting a.b=3;"
                    + " add_setting a.c=; add_setting a.d=; printf '%s\\n' \"${SETTINGS[@]}\""))
        .containsExactly("a.b=3");
  }

  @Test
  void whatUpIsAskedForIsRemembered() throws Exception {
    List<String> saved =
        bash(
            "load_conf; parse_up_options --tiering 2 --no-sql --no-console --port-base 19000"
                + " --set tablet-1.a.b=x=y; apply_up_options; save_conf; load_conf; service_names;"
                + " service_arguments tablet-1");
    assertThat(saved)
        .startsWith("coordinator-1", "tablet-1", "tiering-1", "tiering-2", "lake-1")
        .contains("--server.port=19280", "--a.b=x=y");
  }

  @Test
  void aClusterWithoutALakeExpectsNoWorkers() throws Exception {
    Files.writeString(home.resolve("cluster.conf"), "lake=off\n");
    assertThat(arguments("coordinator-1")).contains("--sluice.tiering.workers-expected=0");
  }

  private List<String> arguments(String service) throws Exception {
    return bash("load_conf; service_arguments " + service);
  }

  /** Runs commands with the launcher's functions and this home; returns the lines they print. */
  private List<String> bash(String commands) throws Exception {
    Path parts = RepositoryRoot.find().resolve("launcher");
    String script =
        "set -euo pipefail; for part in common layout options service cluster; do"
            + " . \"$0/$part.sh\"; done; "
            + commands;
    ProcessBuilder builder = new ProcessBuilder("bash", "-c", script, parts.toString());
    builder.environment().put("CLUSTER_HOME", home.toString());
    Process process = builder.redirectErrorStream(true).start();
    try (BufferedReader output = process.inputReader()) {
      List<String> lines = output.lines().toList();
      assertThat(process.waitFor()).as("%s", lines).isZero();
      return lines;
    }
  }
}
