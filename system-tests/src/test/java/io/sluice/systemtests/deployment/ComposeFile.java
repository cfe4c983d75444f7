package io.sluice.systemtests.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.yaml.snakeyaml.Yaml;

/** {@code compose/compose.yaml}, read without an engine. */
final class ComposeFile {
  /** Where the code of the service is that a Dockerfile is for. */
  private static final Map<String, String> PACKAGES =
      Map.of(
          "coordinator", "io.sluice.coordinator",
          "tablet", "io.sluice.tablet",
          "tiering", "io.sluice.tiering",
          "lake", "io.sluice.lake",
          "admin-ui", "io.sluice.adminui");

  private final Path folder;
  private final Map<?, ?> root;

  ComposeFile(Path folder) {
    this.folder = folder;
    this.root = (Map<?, ?>) parse(folder.resolve("compose.yaml"));
  }

  /** The content of a YAML file; fails when it is not YAML. */
  static Object parse(Path file) {
    try {
      return Objects.requireNonNull(new Yaml().load(Files.readString(file)), file + " is empty");
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + file, e);
    }
  }

  /** A service that is built from this repository. */
  record Service(
      String name, Path dockerfile, Map<String, String> settings, String servicePackage) {
    int httpPort() {
      return port("server.port");
    }

    private int port(String key) {
      String port = settings.get(key);
      assertThat(port).as("%s of %s", key, name).isNotNull();
      return Integer.parseInt(port);
    }

    /** The ports it listens on, HTTP first. */
    List<Integer> ports() {
      List<Integer> ports = new ArrayList<>(List.of(httpPort()));
      if (settings.containsKey("spring.grpc.server.port")) {
        ports.add(port("spring.grpc.server.port"));
      }
      return ports;
    }
  }

  /** The services that are built from this repository, by name. */
  Map<String, Service> builtServices() {
    Map<String, Service> built = new TreeMap<>();
    services()
        .forEach(
            (name, service) -> {
              if (service.get("build") instanceof Map<?, ?> build) {
                assertThat(build.get("context")).as("context of %s", name).isEqualTo("..");
                Path dockerfile = folder.getParent().resolve((String) build.get("dockerfile"));
                String kind = dockerfile.getFileName().toString().replace(".Dockerfile", "");
                assertThat(PACKAGES).as("Dockerfile of %s", name).containsKey(kind);
                built.put(
                    name,
                    new Service(name, dockerfile, settings(name, service), PACKAGES.get(kind)));
              }
            });
    return built;
  }

  /** All services as the file has them, by name. */
  Map<String, Map<?, ?>> services() {
    Map<String, Map<?, ?>> services = new TreeMap<>();
    ((Map<?, ?>) root.get("services"))
        .forEach((name, service) -> services.put((String) name, (Map<?, ?>) service));
    return services;
  }

  /** Names of the volumes that the engine keeps. */
  List<String> volumes() {
    return ((Map<?, ?>) root.get("volumes")).keySet().stream().map(String::valueOf).toList();
  }

  /** The texts of a list in a service's description; none when there is no such list. */
  static List<String> texts(Map<?, ?> service, String key) {
    return service.get(key) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }

  private static Map<String, String> settings(String name, Map<?, ?> service) {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String argument : texts(service, "command")) {
      assertThat(argument).as("argument of %s", name).matches("--[a-z.-]+=.+");
      int equals = argument.indexOf('=');
      String before = settings.put(argument.substring(2, equals), argument.substring(equals + 1));
      assertThat(before).as("%s of %s is given once", argument, name).isNull();
    }
    return settings;
  }
}
