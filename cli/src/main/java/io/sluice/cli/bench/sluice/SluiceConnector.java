package io.sluice.cli.bench.sluice;

import io.sluice.bench.harness.ProductClient;
import io.sluice.bench.harness.ProductConnector;

/** Opens the client of Sluice. */
public final class SluiceConnector implements ProductConnector {
  @Override
  public ProductClient connect(String bootstrap) {
    return new SluiceProductClient(bootstrap);
  }
}
