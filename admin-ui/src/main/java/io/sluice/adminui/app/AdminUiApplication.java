package io.sluice.adminui.app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/** The console: serves the web application and passes its questions on to the services. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableConfigurationProperties(ConsoleProperties.class)
@Import(ConsoleConfiguration.class)
public class AdminUiApplication {
  /** Starts the console; settings are given as {@code --key=value}. */
  public static void main(String[] args) {
    SpringApplication.run(AdminUiApplication.class, args);
  }
}
