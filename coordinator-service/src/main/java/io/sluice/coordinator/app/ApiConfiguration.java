package io.sluice.coordinator.app;

import io.sluice.coordinator.balance.ReplicaOperations;
import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.control.IdGrants;
import io.sluice.coordinator.grpc.ClusterGrpcService;
import io.sluice.coordinator.grpc.MetadataGrpcService;
import io.sluice.coordinator.membership.IsrChanges;
import io.sluice.coordinator.membership.TabletSessions;
import io.sluice.coordinator.raft.RaftMetadataLog;
import io.sluice.coordinator.rest.CoordinatorsController;
import io.sluice.coordinator.rest.DatabasesController;
import io.sluice.coordinator.rest.LeaderRedirect;
import io.sluice.coordinator.rest.OpenApiController;
import io.sluice.coordinator.rest.PartitionsController;
import io.sluice.coordinator.rest.ReplicationController;
import io.sluice.coordinator.rest.ServersController;
import io.sluice.coordinator.rest.TablesController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The gRPC services and REST controllers. */
@Configuration(proxyBeanMethods = false)
final class ApiConfiguration {
  /** Any coordinator answers for itself who they are; the rest is the leader's. */
  @Bean
  WebMvcConfigurer leaderRedirect(RaftMetadataLog log) {
    return new WebMvcConfigurer() {
      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        registry
            .addInterceptor(new LeaderRedirect(log))
            .addPathPatterns("/api/v1/**")
            .excludePathPatterns("/api/v1/coordinators");
      }
    };
  }

  @Bean
  CoordinatorsController coordinatorsController(RaftMetadataLog log) {
    return new CoordinatorsController(log);
  }

  @Bean
  MetadataGrpcService metadataGrpcService(Catalog catalog) {
    return new MetadataGrpcService(catalog);
  }

  @Bean
  ClusterGrpcService clusterGrpcService(TabletSessions sessions, RaftMetadataLog log) {
    return new ClusterGrpcService(
        sessions, new IdGrants(log), new IsrChanges(log, sessions::isOffline));
  }

  @Bean
  DatabasesController databasesController(Catalog catalog) {
    return new DatabasesController(catalog);
  }

  @Bean
  TablesController tablesController(Catalog catalog) {
    return new TablesController(catalog);
  }

  @Bean
  PartitionsController partitionsController(Catalog catalog) {
    return new PartitionsController(catalog);
  }

  @Bean
  ServersController serversController(
      Catalog catalog, TabletSessions sessions, RaftMetadataLog log) {
    return new ServersController(catalog, sessions, log);
  }

  @Bean
  ReplicationController replicationController(Catalog catalog, ReplicaOperations operations) {
    return new ReplicationController(catalog, operations);
  }

  @Bean
  OpenApiController openApiController() {
    return new OpenApiController();
  }
}
