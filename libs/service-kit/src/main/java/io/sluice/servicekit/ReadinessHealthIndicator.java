package io.sluice.servicekit;

import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/** Shows the service's {@link ReadinessGate}s as the health component {@code sluice}. */
final class ReadinessHealthIndicator implements HealthIndicator {
  private final List<ReadinessGate> gates;

  ReadinessHealthIndicator(List<ReadinessGate> gates) {
    this.gates = List.copyOf(gates);
  }

  @Override
  public Health health() {
    boolean open = gates.stream().allMatch(ReadinessGate::isOpen);
    Health.Builder health = open ? Health.up() : Health.status(Status.OUT_OF_SERVICE);
    for (ReadinessGate gate : gates) {
      health.withDetails(gate.report());
    }
    return health.build();
  }
}
