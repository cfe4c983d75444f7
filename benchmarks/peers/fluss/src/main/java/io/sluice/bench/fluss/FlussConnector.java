package io.sluice.bench.fluss;

import io.sluice.bench.harness.ProductClient;
import io.sluice.bench.harness.ProductConnector;

/** Opens the client of Apache Fluss. */
public final class FlussConnector implements ProductConnector {
  @Override
  public ProductClient connect(String bootstrap) {
    return new FlussProductClient(bootstrap);
  }
}
