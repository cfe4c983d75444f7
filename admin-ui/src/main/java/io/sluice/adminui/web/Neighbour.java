package io.sluice.adminui.web;

import java.net.URI;
import java.time.Duration;

/**
 * A service that the console passes requests on to.
 *
 * @param name as messages call it
 * @param address scheme, host and port
 * @param timeout until an answer must be complete
 */
public record Neighbour(String name, URI address, Duration timeout) {
  @Override
  public String toString() {
    return name + " at " + address;
  }
}
