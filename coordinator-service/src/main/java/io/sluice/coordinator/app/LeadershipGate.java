package io.sluice.coordinator.app;

import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.servicekit.ReadinessGate;
import java.util.List;

/**
 * Opens readiness when the metadata is recovered and requests are answered: when this coordinator
 * leads, or follows a leader it can send clients to. One that has lost sight of every leader takes
 * no requests, and one that cannot apply a command never again.
 */
final class LeadershipGate implements MetadataLog.Listener {
  /** The condition. */
  static final String METADATA = "metadata";

  private final ReadinessGate gate;
  private volatile boolean broken;

  LeadershipGate(ReadinessGate gate) {
    this.gate = gate;
  }

  @Override
  public void applied(MetadataImage image, List<Event> events) {
    // Only leadership decides.
  }

  @Override
  public void leading() {
    open();
  }

  @Override
  public void following() {
    open();
  }

  private void open() {
    if (!broken) {
      gate.open(METADATA);
    }
  }

  @Override
  public void alone() {
    if (!broken) {
      gate.close(METADATA, "no coordinator leads, as far as this one knows");
    }
  }

  @Override
  public void broken(SluiceException why) {
    broken = true;
    gate.close(METADATA, String.valueOf(why.getMessage()));
  }

  @Override
  public void replaced(MetadataImage image) {
    // Only leadership decides.
  }
}
