package io.sluice.tiering.app;

import io.grpc.ManagedChannel;
import io.sluice.servicekit.CoordinatorLink;
import io.sluice.tiering.job.Coordinators;

/** The coordinators as the service's link knows them. */
final class LinkedCoordinators implements Coordinators {
  private final CoordinatorLink link;

  LinkedCoordinators(CoordinatorLink link) {
    this.link = link;
  }

  @Override
  public Target target() {
    CoordinatorLink.Target target = link.target();
    if (target.channel() instanceof ManagedChannel channel) {
      // The pauses are the session's own; gRPC's grow to minutes.
      channel.resetConnectBackoff();
    }
    return new Target(target.address(), target.channel());
  }

  @Override
  public void failed(Target target, Throwable failure) {
    link.failed(new CoordinatorLink.Target(target.address(), target.channel()), failure);
  }
}
