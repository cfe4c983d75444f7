package io.sluice.tablet.app;

import io.sluice.tablet.replica.ReplicaSet;
import io.sluice.tablet.rest.ReplicaController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The data REST. */
@Configuration(proxyBeanMethods = false)
final class RestConfiguration {
  @Bean
  ReplicaController replicaController(ReplicaSet replicas) {
    return new ReplicaController(replicas);
  }
}
