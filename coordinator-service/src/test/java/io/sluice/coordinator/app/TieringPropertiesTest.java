package io.sluice.coordinator.app;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TieringPropertiesTest {
  private static final Duration POLL = Duration.ofSeconds(30);
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final Duration SWEEP = Duration.ofSeconds(15);
  private static final Duration PROBE = Duration.ofMinutes(1);

  @Test
  void refusesWhatCannotWorkNamingTheKey() {
    assertThat(problems(new TieringProperties(POLL, TIMEOUT, SWEEP, 1, PROBE))).isEmpty();
    assertThat(problems(new TieringProperties(POLL, POLL, SWEEP, 1, PROBE)))
        .containsExactly(
            "sluice.tiering.worker-timeout must be more than sluice.tiering.poll-interval and at"
                + " most 1h");
    assertThat(problems(new TieringProperties(Duration.ZERO, TIMEOUT, SWEEP, 1, PROBE)))
        .containsExactly("sluice.tiering.poll-interval must be between 100ms and 10m");
    assertThat(problems(new TieringProperties(POLL, TIMEOUT, Duration.ofHours(1), 1, PROBE)))
        .containsExactly("sluice.tiering.sweep-interval must be between 100ms and 10m");
    assertThat(problems(new TieringProperties(POLL, TIMEOUT, SWEEP, -1, PROBE)))
        .containsExactly("must be at least 0");
    assertThat(problems(new TieringProperties(POLL, TIMEOUT, SWEEP, 1, Duration.ofMillis(1))))
        .containsExactly("sluice.tiering.lake-probe-interval must be between 1s and 1h");
  }

  private static List<String> problems(TieringProperties properties) {
    try (ValidatorFactory factory = Validation.buildDefaultValidatorFactory()) {
      return factory.getValidator().validate(properties).stream()
          .map(violation -> violation.getMessage())
          .toList();
    }
  }
}
