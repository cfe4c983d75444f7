package io.sluice.systemtests.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.systemtests.architecture.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every file, port, setting, service and jar that the files in {@code compose/} name is there. No
 * container engine is needed, and none is asked.
 */
final class ComposeTest {
  private static final Pattern ADDRESS = Pattern.compile("([a-z][a-z0-9-]*):(\\d+)");
  private static final Pattern COPY =
      Pattern.compile("(?m)^COPY (?!--from)(?:--\\S+ )*(\\S+) \\S+$");
  private static final Pattern SERVICE_PORT = Pattern.compile("(?m)^ENV SERVICE_PORT=(\\d+)$");
  private static final Pattern EXPOSE = Pattern.compile("(?m)^EXPOSE ([\\d ]+)$");
  private static final Pattern METRIC = Pattern.compile("\\bsluice_[a-zA-Z_]+");

  private final Path root = RepositoryRoot.find();
  private final Path folder = root.resolve("compose");
  private final ComposeFile compose = new ComposeFile(folder);
  private final Map<String, ComposeFile.Service> built = compose.builtServices();

  @Test
  void everyServiceOfSluiceIsThere() {
    assertThat(built.keySet())
        .containsExactly(
            "admin-ui-1", "coordinator-1", "lake-1", "lake-sql-1", "tablet-1", "tiering-1");
  }

  @Test
  void everyYamlFileParses() throws IOException {
    List<Path> files = filesBelow(folder, ".yaml", ".yml");
    assertThat(files).hasSizeGreaterThanOrEqualTo(4);
    files.forEach(ComposeFile::parse);
  }

  @Test
  void everyArgumentIsASettingOfItsService() {
    for (ComposeFile.Service service : built.values()) {
      assertThat(SettingKeys.of(service.servicePackage()))
          .as("settings of %s", service.name())
          .hasSizeGreaterThan(6)
          .containsAll(service.settings().keySet());
    }
  }

  @Test
  void imagesCopyTheJarsOfModulesAndFilesThatExist() throws IOException {
    for (ComposeFile.Service service : built.values()) {
      List<String> sources = matches(COPY, Files.readString(service.dockerfile()));
      assertThat(sources).as("COPY in %s", service.dockerfile()).hasSize(3);
      String module = sources.get(0).substring(0, sources.get(0).indexOf('/'));
      assertThat(Files.readString(root.resolve(module).resolve("pom.xml")))
          .contains("<artifactId>" + module + "</artifactId>")
          .contains("<outputDirectory>${project.build.directory}/lib</outputDirectory>")
          .contains("<classpathPrefix>lib/</classpathPrefix>");
      assertThat(sources.get(0)).isEqualTo(module + "/target/lib");
      assertThat(sources.get(1)).isEqualTo(module + "/target/" + module + "-*.jar");
      assertThat(root.resolve(sources.get(2))).isExecutable();
    }
  }

  @Test
  void whatImagesCopyIsNotIgnored() throws IOException {
    assertThat(Files.readAllLines(root.resolve(".dockerignore")))
        .contains("*", "!*/target/*.jar", "!*/target/lib", "!compose/images");
  }

  @Test
  void imagesDoNotRunAsRootAndHaveAHealthCheck() throws IOException {
    for (ComposeFile.Service service : built.values()) {
      assertThat(Files.readString(service.dockerfile()))
          .as("%s", service.dockerfile())
          .contains("\nUSER sluice\n", "\nHEALTHCHECK ", "\nENTRYPOINT [\"java\"")
          .contains("--add-opens=java.base/java.nio=ALL-UNNAMED");
    }
  }

  @Test
  void portsAreThoseTheServicesListenOn() throws IOException {
    for (ComposeFile.Service service : built.values()) {
      Map<?, ?> description = compose.services().get(service.name());
      List<Integer> published = new ArrayList<>();
      for (String port : ComposeFile.texts(description, "ports")) {
        assertThat(port).as("port of %s", service.name()).startsWith("127.0.0.1:");
        published.add(Integer.parseInt(port.substring(port.lastIndexOf(':') + 1)));
      }
      assertThat(service.ports()).as("ports of %s", service.name()).containsAll(published);
      String dockerfile = Files.readString(service.dockerfile());
      List<Integer> exposed =
          Stream.of(matches(EXPOSE, dockerfile).get(0).split(" ")).map(Integer::valueOf).toList();
      assertThat(exposed).as("EXPOSE for %s", service.name()).containsAll(service.ports());
      String checked =
          description.get("environment") instanceof Map<?, ?> environment
              ? String.valueOf(environment.get("SERVICE_PORT"))
              : matches(SERVICE_PORT, dockerfile).get(0);
      assertThat(checked)
          .as("port of the health check of %s", service.name())
          .isEqualTo(Integer.toString(service.httpPort()));
    }
  }

  @Test
  void addressesNameAServiceAndAPortOfIt() {
    int checked = 0;
    for (ComposeFile.Service service : built.values()) {
      for (Map.Entry<String, String> setting : service.settings().entrySet()) {
        for (MatchResult address : ADDRESS.matcher(setting.getValue()).results().toList()) {
          assertThat(built).as("%s", setting).containsKey(address.group(1));
          assertThat(built.get(address.group(1)).ports())
              .as("%s of %s", setting, service.name())
              .contains(Integer.valueOf(address.group(2)));
          checked++;
        }
      }
    }
    assertThat(checked).isGreaterThanOrEqualTo(7);
  }

  @Test
  void prometheusAsksEveryService() {
    Map<?, ?> prometheus =
        (Map<?, ?>) ComposeFile.parse(folder.resolve("prometheus/prometheus.yml"));
    List<String> targets = new ArrayList<>();
    for (Object job : (List<?>) prometheus.get("scrape_configs")) {
      Map<?, ?> scraped = (Map<?, ?>) job;
      assertThat(scraped.get("metrics_path")).isEqualTo("/actuator/prometheus");
      for (Object config : (List<?>) scraped.get("static_configs")) {
        targets.addAll(ComposeFile.texts((Map<?, ?>) config, "targets"));
      }
    }
    assertThat(targets)
        .containsExactlyInAnyOrderElementsOf(
            built.values().stream().map(each -> each.name() + ":" + each.httpPort()).toList());
  }

  @Test
  void mountsAndDependenciesAreThere() {
    Set<String> used = new TreeSet<>();
    compose
        .services()
        .forEach(
            (name, service) -> {
              for (String mount : ComposeFile.texts(service, "volumes")) {
                String source = mount.substring(0, mount.indexOf(':'));
                if (source.startsWith(".")) {
                  assertThat(folder.resolve(source)).as("mount of %s", name).exists();
                } else {
                  used.add(source);
                }
              }
              if (service.get("depends_on") instanceof Map<?, ?> needed) {
                assertThat(compose.services().keySet())
                    .as("depends_on of %s", name)
                    .containsAll(needed.keySet().stream().map(String::valueOf).toList());
              }
            });
    assertThat(compose.volumes()).containsExactlyInAnyOrderElementsOf(used);
  }

  @Test
  void theDashboardShowsMetricsThatAreDocumented() throws IOException {
    StringBuilder documents = new StringBuilder();
    for (Path file : filesBelow(root.resolve("docs"), ".md")) {
      documents.append(Files.readString(file));
    }
    Set<String> documented = new TreeSet<>(matches(METRIC, documents.toString()));
    Set<String> shown = new TreeSet<>();
    for (Path file : filesBelow(folder.resolve("grafana/dashboards"), ".json")) {
      JsonNode dashboard = new ObjectMapper().readTree(file.toFile());
      assertThat(dashboard.path("panels")).as("panels of %s", file).isNotEmpty();
      for (JsonNode expression : dashboard.findValues("expr")) {
        // A histogram is documented by its own name.
        matches(METRIC, expression.asText())
            .forEach(metric -> shown.add(metric.replaceAll("_bucket$", "")));
      }
    }
    assertThat(shown).hasSizeGreaterThan(5);
    assertThat(documented).containsAll(shown);
  }

  /** The first group of every match, or all of it where the pattern has none. */
  private static List<String> matches(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(match -> match.groupCount() == 0 ? match.group() : match.group(1))
        .toList();
  }

  private static List<Path> filesBelow(Path folder, String... suffixes) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(
              file -> Stream.of(suffixes).anyMatch(file.getFileName().toString()::endsWith))
          .sorted()
          .toList();
    }
  }
}
