package io.sluice.adminui.app;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of the console.
 *
 * @param id which of its kind, for logs
 * @param coordinators HTTP addresses of the coordinators
 * @param sql HTTP address of lake-sql
 * @param timeout until an answer of the coordinator must be complete
 * @param sqlTimeout the same for a statement; longer than {@code sluice.sql.timeout}, so that it is
 *     lake-sql that says what took so long
 * @param hosts names, in lower case and without a port, by which browsers may know the console;
 *     requests to any other name are refused
 */
@Validated
@ConfigurationProperties("sluice.console")
record ConsoleProperties(
    @NotNull @DefaultValue("1") String id,
    @NotEmpty @DefaultValue("http://127.0.0.1:9180") List<URI> coordinators,
    @NotNull @DefaultValue("http://127.0.0.1:9580") URI sql,
    @NotNull @DefaultValue("4s") Duration timeout,
    @NotNull @DefaultValue("6m") Duration sqlTimeout,
    @NotNull @DefaultValue({"localhost", "127.0.0.1", "[::1]"}) List<String> hosts) {

  @AssertTrue(
      message = "sluice.console.coordinators and .sql must be addresses like http://127.0.0.1:9180")
  boolean isEveryAddressUsable() {
    return coordinators != null
        && coordinators.stream().allMatch(ConsoleProperties::isUsable)
        && isUsable(sql);
  }

  private static boolean isUsable(@Nullable URI address) {
    return address != null
        && ("http".equals(address.getScheme()) || "https".equals(address.getScheme()))
        && address.getHost() != null
        && (address.getRawPath() == null || address.getRawPath().isEmpty())
        && address.getRawQuery() == null
        && address.getRawUserInfo() == null;
  }
}
