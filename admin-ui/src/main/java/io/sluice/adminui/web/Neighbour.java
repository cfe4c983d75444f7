package io.sluice.adminui.web;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A service that the console passes requests on to.
 *
 * @param name as messages call it
 * @param addresses scheme, host and port of each of its instances, any of which may be asked: one
 *     that does not lead names another of them
 * @param timeout until an answer must be complete
 */
public record Neighbour(String name, List<URI> addresses, Duration timeout) {
  public Neighbour {
    addresses = List.copyOf(addresses);
  }

  /** A service of one instance. */
  public Neighbour(String name, URI address, Duration timeout) {
    this(name, List.of(address), timeout);
  }

  @Override
  public String toString() {
    return name
        + " at "
        + addresses.stream().map(URI::toString).collect(Collectors.joining(" or "));
  }
}
