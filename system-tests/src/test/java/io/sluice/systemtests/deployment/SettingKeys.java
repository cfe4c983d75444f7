package io.sluice.systemtests.deployment;

import java.lang.reflect.RecordComponent;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;

/** The settings that a service reads, taken from its {@code @ConfigurationProperties} records. */
final class SettingKeys {
  /** Spring's own, and the one that decides which records a lake process has at all. */
  private static final Set<String> OTHERS =
      Set.of(
          "server.address",
          "server.port",
          "spring.grpc.server.address",
          "spring.grpc.server.port",
          "sluice.lake.role");

  private static final Pattern UPPER_CASE = Pattern.compile("([A-Z])");

  private SettingKeys() {}

  /** All keys of the service whose code is in this package. */
  static Set<String> of(String servicePackage) {
    Set<String> keys = new TreeSet<>(OTHERS);
    for (String searched : Set.of(servicePackage, "io.sluice.servicekit")) {
      ClassPathScanningCandidateComponentProvider scanner =
          new ClassPathScanningCandidateComponentProvider(false);
      scanner.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
      for (BeanDefinition found : scanner.findCandidateComponents(searched)) {
        Class<?> type = load(String.valueOf(found.getBeanClassName()));
        ConfigurationProperties annotation = type.getAnnotation(ConfigurationProperties.class);
        addComponents(keys, annotation.value() + annotation.prefix(), type);
      }
    }
    return keys;
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name, false, SettingKeys.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new AssertionError("A class that was just found cannot be loaded", e);
    }
  }

  private static void addComponents(Set<String> keys, String prefix, Class<?> type) {
    if (!type.isRecord()) {
      throw new AssertionError(type + " holds settings but is no record");
    }
    for (RecordComponent component : type.getRecordComponents()) {
      String key =
          prefix + "." + UPPER_CASE.matcher(component.getName()).replaceAll("-$1").toLowerCase();
      if (component.getType().isRecord()) {
        addComponents(keys, key, component.getType());
      } else {
        keys.add(key);
      }
    }
  }
}
