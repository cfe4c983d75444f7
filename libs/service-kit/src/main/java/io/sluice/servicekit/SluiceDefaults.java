package io.sluice.servicekit;

import java.io.IOException;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

/**
 * Adds {@code sluice-defaults.properties} as the property source of the lowest precedence: anything
 * a service or an operator sets wins.
 */
final class SluiceDefaults implements EnvironmentPostProcessor {
  private static final String FILE = "sluice-defaults.properties";

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    try {
      environment
          .getPropertySources()
          .addLast(
              new PropertiesPropertySource(
                  "sluice-defaults",
                  PropertiesLoaderUtils.loadProperties(
                      new ClassPathResource(FILE, SluiceDefaults.class.getClassLoader()))));
    } catch (IOException e) {
      throw new IllegalStateException("Cannot read " + FILE + " from the class path", e);
    }
  }
}
