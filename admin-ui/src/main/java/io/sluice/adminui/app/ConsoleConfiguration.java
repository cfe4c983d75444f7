package io.sluice.adminui.app;

import io.sluice.adminui.web.ApiServlet;
import io.sluice.adminui.web.ConsolePages;
import io.sluice.adminui.web.Neighbour;
import io.sluice.adminui.web.Relay;
import io.sluice.adminui.web.SecurityHeaders;
import io.sluice.servicekit.ClientPresence;
import io.sluice.servicekit.ServiceIdentity;
import java.time.Duration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The console's parts. */
@Configuration(proxyBeanMethods = false)
final class ConsoleConfiguration implements WebMvcConfigurer {
  private static final String FILES = "classpath:/static/";

  @Bean
  ServiceIdentity serviceIdentity(ConsoleProperties properties) {
    return ServiceIdentity.of("admin-ui", properties.id(), AdminUiApplication.class);
  }

  @Bean
  Relay relay() {
    return new Relay();
  }

  @Bean
  ServletRegistrationBean<ApiServlet> apiServlet(Relay relay, ConsoleProperties properties) {
    Neighbour coordinator =
        new Neighbour("coordinator", properties.coordinators(), properties.timeout());
    Neighbour sql = new Neighbour("SQL service", properties.sql(), properties.sqlTimeout());
    return new ServletRegistrationBean<>(
        new ApiServlet(relay, coordinator, sql, properties.hosts()), "/api/*");
  }

  /** So that a statement ends when its browser goes away. */
  @Bean
  WebServerFactoryCustomizer<TomcatServletWebServerFactory> clientPresence() {
    return server -> server.addEngineValves(new ClientPresence());
  }

  @Bean
  FilterRegistrationBean<SecurityHeaders> securityHeaders() {
    FilterRegistrationBean<SecurityHeaders> filter =
        new FilterRegistrationBean<>(new SecurityHeaders());
    filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return filter;
  }

  @Bean
  ConsolePages consolePages() {
    return new ConsolePages(new ClassPathResource("static/index.html"));
  }

  @Override
  public void addResourceHandlers(ResourceHandlerRegistry registry) {
    // Above the controllers, whose last mapping takes every path. The names hold a hash of the
    // content.
    registry
        .addResourceHandler("/assets/**")
        .addResourceLocations(FILES + "assets/")
        .setCacheControl(CacheControl.maxAge(Duration.ofDays(365)).cachePublic().immutable());
    registry
        .addResourceHandler("/favicon.svg")
        .addResourceLocations(FILES)
        .setCacheControl(CacheControl.maxAge(Duration.ofDays(1)).cachePublic());
    registry.setOrder(Ordered.HIGHEST_PRECEDENCE);
  }
}
