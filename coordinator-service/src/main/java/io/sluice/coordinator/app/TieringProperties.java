package io.sluice.coordinator.app;

import io.sluice.coordinator.tiering.TieringSettings;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of the tiering queue.
 *
 * @param pollInterval how often workers are to report
 * @param workerTimeout a table that its worker has not named for so long is taken back
 * @param sweepInterval how often that is looked for
 * @param workersExpected how many workers there should be
 * @param lakeProbeInterval how often one round tries while the lake is out of order
 */
@Validated
@ConfigurationProperties("sluice.tiering")
record TieringProperties(
    @NotNull @DefaultValue("30s") Duration pollInterval,
    @NotNull @DefaultValue("2m") Duration workerTimeout,
    @NotNull @DefaultValue("15s") Duration sweepInterval,
    @Min(value = 0, message = "must be at least 0") @Max(value = 1000, message = "must be at most 1000") @DefaultValue("1")
        int workersExpected,
    @NotNull @DefaultValue("1m") Duration lakeProbeInterval) {

  @AssertTrue(message = "sluice.tiering.poll-interval must be between 100ms and 10m") boolean isPollIntervalInRange() {
    return isBetween(pollInterval, Duration.ofMillis(100), Duration.ofMinutes(10));
  }

  @AssertTrue(message = "sluice.tiering.sweep-interval must be between 100ms and 10m") boolean isSweepIntervalInRange() {
    return isBetween(sweepInterval, Duration.ofMillis(100), Duration.ofMinutes(10));
  }

  @AssertTrue(
      message =
          "sluice.tiering.worker-timeout must be more than sluice.tiering.poll-interval and at most 1h")
  boolean isWorkerTimeoutInRange() {
    return workerTimeout.compareTo(pollInterval) > 0
        && workerTimeout.compareTo(Duration.ofHours(1)) <= 0;
  }

  @AssertTrue(message = "sluice.tiering.lake-probe-interval must be between 1s and 1h") boolean isLakeProbeIntervalInRange() {
    return isBetween(lakeProbeInterval, Duration.ofSeconds(1), Duration.ofHours(1));
  }

  private static boolean isBetween(Duration value, Duration min, Duration max) {
    return value.compareTo(min) >= 0 && value.compareTo(max) <= 0;
  }

  TieringSettings settings() {
    return new TieringSettings(
        pollInterval, workerTimeout, sweepInterval, workersExpected, lakeProbeInterval);
  }
}
