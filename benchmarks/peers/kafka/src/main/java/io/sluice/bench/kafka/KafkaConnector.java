package io.sluice.bench.kafka;

import io.sluice.bench.harness.ProductClient;
import io.sluice.bench.harness.ProductConnector;

/** Opens the client of Apache Kafka. */
public final class KafkaConnector implements ProductConnector {
  @Override
  public ProductClient connect(String bootstrap) {
    return new KafkaProductClient(bootstrap);
  }
}
