package io.sluice.servicekit;

import io.sluice.common.TimeSource;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenServerInterceptor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.grpc.server.GlobalServerInterceptor;

/**
 * Gives every service that has this library on its path the shared beans: the clock ({@link
 * TimeSource}, replaceable), the {@link ClusterSecret}, the gRPC interceptors, problem details, the
 * health component {@code sluice} and the start-up line.
 */
@AutoConfiguration
final class ServiceKitAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  TimeSource timeSource() {
    return TimeSource.SYSTEM;
  }

  @Bean
  @GlobalServerInterceptor
  @Order(Ordered.HIGHEST_PRECEDENCE)
  ErrorMappingInterceptor errorMappingInterceptor() {
    return new ErrorMappingInterceptor();
  }

  @Bean
  ServerPorts serverPorts(ConfigurableEnvironment environment) {
    return new ServerPorts(environment);
  }

  @Bean
  ProblemDetailsAdvice problemDetailsAdvice() {
    return new ProblemDetailsAdvice();
  }

  @Bean
  RequestBodyLimit requestBodyLimit() {
    return new RequestBodyLimit();
  }

  @Bean
  ReadinessHealthIndicator sluiceHealthIndicator(ObjectProvider<ReadinessGate> gates) {
    return new ReadinessHealthIndicator(gates.orderedStream().toList());
  }

  @Bean
  @ConditionalOnBean(ServiceIdentity.class)
  StartupReport startupReport(ServiceIdentity identity) {
    return new StartupReport(identity);
  }

  /**
   * What a service needs that makes or takes internal calls: all but those that set {@code
   * sluice.cluster.member=false}, which then are not trusted with the secret.
   */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty(name = "sluice.cluster.member", matchIfMissing = true)
  @EnableConfigurationProperties(ClusterProperties.class)
  static final class Member {
    @Bean
    @ConditionalOnMissingBean
    ClusterSecret clusterSecret(ClusterProperties properties) {
      return ClusterSecret.read(properties.secretFile());
    }

    @Bean
    @GlobalServerInterceptor
    @Order(Ordered.HIGHEST_PRECEDENCE + 10)
    InternalServiceGuard internalServiceGuard(ClusterSecret secret, TimeSource time) {
      return new InternalServiceGuard(ClusterTokenServerInterceptor.guardingAll(secret, time));
    }
  }
}
