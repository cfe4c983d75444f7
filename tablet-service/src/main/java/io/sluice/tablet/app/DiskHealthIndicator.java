package io.sluice.tablet.app;

import io.sluice.tablet.log.DiskGuard;
import java.util.Locale;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Shows whether the data disk takes writes, as the health component {@code disk}. It is not part of
 * readiness: reads go on.
 */
final class DiskHealthIndicator implements HealthIndicator {
  private final DiskGuard disk;

  DiskHealthIndicator(DiskGuard disk) {
    this.disk = disk;
  }

  @Override
  public Health health() {
    boolean full = disk.full();
    return (full ? Health.status(Status.OUT_OF_SERVICE) : Health.up())
        .withDetail("directory", disk.directory().toString())
        .withDetail("used", String.format(Locale.ROOT, "%.3f", disk.usedPart()))
        .withDetail("refuseAbove", disk.limits().refuseAbove())
        .withDetail("acceptBelow", disk.limits().acceptBelow())
        .withDetail("writes", full ? "refused" : "accepted")
        .build();
  }
}
