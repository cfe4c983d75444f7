package io.sluice.adminui.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which requests were sent by a page of another site. */
final class CrossSiteTest {
  @Test
  void browsersSayItThemselves() {
    assertThat(CrossSite.isForeign("same-origin", "http://evil", "h:1")).isFalse();
    assertThat(CrossSite.isForeign("none", null, "h:1")).isFalse();
    assertThat(CrossSite.isForeign("cross-site", "http://h:1", "h:1")).isTrue();
    assertThat(CrossSite.isForeign("same-site", null, "h:1")).isTrue();
  }

  @Test
  void olderBrowsersSendTheOriginOfThePage() {
    assertThat(CrossSite.isForeign(null, "http://localhost:8080", "localhost:8080")).isFalse();
    assertThat(CrossSite.isForeign(null, "https://console.example", "console.example")).isFalse();
    assertThat(CrossSite.isForeign(null, "http://localhost:8081", "localhost:8080")).isTrue();
    assertThat(CrossSite.isForeign(null, "null", "localhost:8080")).isTrue();
    assertThat(CrossSite.isForeign(null, "http://[", "localhost:8080")).isTrue();
    assertThat(CrossSite.isForeign(null, "http://localhost:8080", null)).isTrue();
  }

  @Test
  void programsSendNeither() {
    assertThat(CrossSite.isForeign(null, null, "localhost:8080")).isFalse();
  }
}
