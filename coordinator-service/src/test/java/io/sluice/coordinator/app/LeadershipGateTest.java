package io.sluice.coordinator.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.servicekit.ReadinessGate;
import org.junit.jupiter.api.Test;

class LeadershipGateTest {
  private final ReadinessGate gate = ReadinessGate.of(LeadershipGate.METADATA);
  private final LeadershipGate leadership = new LeadershipGate(gate);

  @Test
  void isReadyWhileSomebodyLeads() {
    assertThat(gate.isOpen()).isFalse();
    leadership.following();
    assertThat(gate.isOpen()).isTrue();
    leadership.alone();
    assertThat(gate.isOpen()).isFalse();
    leadership.leading();
    assertThat(gate.isOpen()).isTrue();
  }

  @Test
  void oneThatCannotApplyACommandIsNeverReadyAgainAndSaysWhy() {
    leadership.leading();
    leadership.broken(new SluiceException(ErrorCode.INTERNAL, "command at index 17"));
    leadership.following();
    leadership.alone();
    assertThat(gate.isOpen()).isFalse();
    assertThat(gate.report()).containsEntry(LeadershipGate.METADATA, "command at index 17");
  }
}
