package io.sluice.bench.harness;

/**
 * Opens the client of the one product on the class path; found by {@link java.util.ServiceLoader}.
 */
public interface ProductConnector {
  /**
   * Connects.
   *
   * @param bootstrap {@code host:port} of the servers
   */
  ProductClient connect(String bootstrap) throws Exception;
}
