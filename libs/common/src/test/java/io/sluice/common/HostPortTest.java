package io.sluice.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HostPortTest {
  @Test
  void readsHostAndPort() {
    assertThat(HostPort.parse("Address", "db-1.example:9123"))
        .isEqualTo(new HostPort("db-1.example", 9123));
    assertThat(HostPort.parse("Address", "[::1]:1")).isEqualTo(new HostPort("[::1]", 1));
    assertThat(HostPort.parse("Address", "h:65535")).hasToString("h:65535");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "host",
        "host:",
        ":9123",
        "host:0",
        "host:65536",
        "host:99999999999",
        "host:-1",
        "host:+1",
        "host:9 1",
        "host:http",
        "host:٣"
      })
  void refusesEverythingElseNamingIt(String address) {
    assertThatThrownBy(() -> HostPort.parse("Coordinator address", address))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
        .hasMessage("Coordinator address '" + address + "' must have the form host:port");
  }
}
