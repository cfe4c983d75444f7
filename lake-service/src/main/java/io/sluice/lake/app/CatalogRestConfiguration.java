package io.sluice.lake.app;

import io.sluice.lake.catalog.CatalogStore;
import io.sluice.lake.commit.LakeRecord;
import io.sluice.lake.commit.ManagedTables;
import io.sluice.lake.rest.IcebergServlet;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The Iceberg REST catalog beside Spring's own dispatcher: its errors have a form of their own. */
@Configuration(proxyBeanMethods = false)
final class CatalogRestConfiguration {
  @Bean
  ServletRegistrationBean<IcebergServlet> icebergServlet(CatalogStore store, LakeRecord record) {
    ServletRegistrationBean<IcebergServlet> servlet =
        new ServletRegistrationBean<>(
            new IcebergServlet(store.catalog(), new ManagedTables(record)), "/iceberg/*");
    servlet.setName("iceberg");
    return servlet;
  }
}
