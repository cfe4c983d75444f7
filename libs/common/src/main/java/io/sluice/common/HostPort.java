package io.sluice.common;

/**
 * Where a server is reached, written {@code host:port}. The host is not resolved; an IPv6 address
 * is written in brackets.
 *
 * @param host name or address
 * @param port from 1 to 65535
 */
public record HostPort(String host, int port) {
  private static final int MAX_PORT = 65_535;

  public HostPort {
    if (host.isEmpty() || port < 1 || port > MAX_PORT) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Address '" + host + ":" + port + "' needs a host and a port from 1 to " + MAX_PORT);
    }
  }

  /**
   * Reads {@code host:port}.
   *
   * @param what how a refusal names it, as "Coordinator address"
   * @throws SluiceException INVALID_ARGUMENT when it has another form
   */
  public static HostPort parse(String what, String address) {
    int colon = address.lastIndexOf(':');
    int port = port(address, colon + 1);
    if (colon < 1 || port < 1 || port > MAX_PORT) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, what + " '" + address + "' must have the form host:port");
    }
    return new HostPort(address.substring(0, colon), port);
  }

  /** The number in the digits from there on, above every port when it is too large, else -1. */
  private static int port(String address, int from) {
    int port = address.length() == from ? -1 : 0;
    for (int i = from; i < address.length(); i++) {
      char digit = address.charAt(i);
      if (digit < '0' || digit > '9') {
        return -1;
      }
      port = Math.min(MAX_PORT + 1, 10 * port + digit - '0');
    }
    return port;
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
