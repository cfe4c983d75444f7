package io.sluice.tiering.app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/** A tiering worker: copies rounds of table logs into lake files and hands them over for commit. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableConfigurationProperties(TieringProperties.class)
@Import({NeighboursConfiguration.class, WorkerConfiguration.class})
public class TieringApplication {
  /** Starts the worker; settings are given as {@code --key=value}. */
  public static void main(String[] args) {
    SpringApplication.run(TieringApplication.class, args);
  }
}
