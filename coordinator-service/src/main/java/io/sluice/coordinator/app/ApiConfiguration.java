package io.sluice.coordinator.app;

import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.control.IdGrants;
import io.sluice.coordinator.grpc.ClusterGrpcService;
import io.sluice.coordinator.grpc.MetadataGrpcService;
import io.sluice.coordinator.membership.TabletSessions;
import io.sluice.coordinator.raft.RaftMetadataLog;
import io.sluice.coordinator.rest.DatabasesController;
import io.sluice.coordinator.rest.OpenApiController;
import io.sluice.coordinator.rest.PartitionsController;
import io.sluice.coordinator.rest.ServersController;
import io.sluice.coordinator.rest.TablesController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The gRPC services and REST controllers. */
@Configuration(proxyBeanMethods = false)
final class ApiConfiguration {
  @Bean
  MetadataGrpcService metadataGrpcService(Catalog catalog) {
    return new MetadataGrpcService(catalog);
  }

  @Bean
  ClusterGrpcService clusterGrpcService(TabletSessions sessions, RaftMetadataLog log) {
    return new ClusterGrpcService(sessions, new IdGrants(log));
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
  ServersController serversController(Catalog catalog, TabletSessions sessions) {
    return new ServersController(catalog, sessions);
  }

  @Bean
  OpenApiController openApiController() {
    return new OpenApiController();
  }
}
