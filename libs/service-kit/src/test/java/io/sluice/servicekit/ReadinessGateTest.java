package io.sluice.servicekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

class ReadinessGateTest {
  @Test
  void isOpenWhenEveryConditionIs() {
    ReadinessGate gate = ReadinessGate.of("recovered", "registered");
    assertThat(gate.isOpen()).isFalse();
    assertThat(gate.report()).containsEntry("recovered", "not yet");
    gate.open("recovered");
    gate.open("registered");
    assertThat(gate.isOpen()).isTrue();
    gate.close("registered", "the coordinator is away");
    assertThat(gate.isOpen()).isFalse();
    assertThat(gate.report())
        .containsEntry("recovered", "ok")
        .containsEntry("registered", "the coordinator is away");
  }

  @Test
  void refusesAConditionItDoesNotHave() {
    assertThatThrownBy(() -> ReadinessGate.of("a").open("b")).hasMessageContaining("known are [a]");
  }

  @Test
  void healthIsOutOfServiceUntilAllGatesAreOpen() {
    ReadinessGate first = ReadinessGate.of("a");
    ReadinessGate second = ReadinessGate.of("b");
    ReadinessHealthIndicator health = new ReadinessHealthIndicator(List.of(first, second));
    first.open("a");
    assertThat(health.health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
    second.open("b");
    assertThat(health.health().getStatus()).isEqualTo(Status.UP);
    assertThat(health.health().getDetails()).containsEntry("a", "ok").containsEntry("b", "ok");
  }
}
