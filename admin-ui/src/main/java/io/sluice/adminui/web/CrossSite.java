package io.sluice.adminui.web;

import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds requests that a page of another site made a browser send. Browsers say so themselves
 * ({@code Sec-Fetch-Site}); older ones send the page's {@code Origin}, which must be the host that
 * was asked. Programs that are no browsers send neither and may pass.
 */
final class CrossSite {
  private CrossSite() {}

  /** Whether another site's page sent the request. */
  static boolean isForeign(
      @Nullable String fetchSite, @Nullable String origin, @Nullable String host) {
    if (fetchSite != null) {
      String site = fetchSite.toLowerCase(Locale.ROOT);
      return !site.equals("same-origin") && !site.equals("none");
    }
    return origin != null && !isOfHost(origin, host);
  }

  /**
   * Whether the request was sent to one of our names, whatever the port. A page of another site can
   * give its own name our address; then everything about its requests looks like ours but the name.
   */
  static boolean isKnownHost(@Nullable String host, Set<String> known) {
    if (host == null) {
      return false;
    }
    int port = host.lastIndexOf(':');
    boolean hasPort = port > host.lastIndexOf(']');
    return known.contains((hasPort ? host.substring(0, port) : host).toLowerCase(Locale.ROOT));
  }

  private static boolean isOfHost(String origin, @Nullable String host) {
    if (host == null) {
      return false;
    }
    try {
      String authority = URI.create(origin).getRawAuthority();
      return host.equalsIgnoreCase(authority);
    } catch (IllegalArgumentException notAnAddress) {
      return false;
    }
  }
}
