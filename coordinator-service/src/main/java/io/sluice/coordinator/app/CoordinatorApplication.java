package io.sluice.coordinator.app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/** The coordinator: metadata, membership and leadership of one Sluice cluster. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableConfigurationProperties({SluiceProperties.class, CoordinatorProperties.class})
@Import({
  MetadataConfiguration.class,
  TieringConfiguration.class,
  ApiConfiguration.class,
  MetricsConfiguration.class
})
public final class CoordinatorApplication {
  public static void main(String[] args) {
    SpringApplication.run(CoordinatorApplication.class, args);
  }
}
