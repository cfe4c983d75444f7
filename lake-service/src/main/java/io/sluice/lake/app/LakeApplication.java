package io.sluice.lake.app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * The lake service. {@code sluice.lake.role} says what this process is: {@code lake} (the catalog
 * and the committer) or {@code sql} (the SQL engine, apart so that a bad query never touches a
 * commit).
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({CatalogRole.class, SqlRole.class})
public class LakeApplication {
  /** Starts the process; settings are given as {@code --key=value}. */
  public static void main(String[] args) {
    SpringApplication.run(LakeApplication.class, args);
  }
}
