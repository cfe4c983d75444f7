package io.sluice.tablet.app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/** A tablet server: replicas of buckets, served by Arrow Flight. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableConfigurationProperties(TabletProperties.class)
@Import({
  StorageConfiguration.class,
  CoordinatorConfiguration.class,
  ReplicationConfiguration.class,
  FlightConfiguration.class,
  RestConfiguration.class
})
public class TabletApplication {
  /** Starts the server; settings are given as {@code --key=value}. */
  public static void main(String[] args) {
    SpringApplication.run(TabletApplication.class, args);
  }
}
