package io.sluice.tablet.coordinator;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/**
 * Who this process is for the coordinator.
 *
 * @param serverId configured id, from 1
 * @param host where clients reach this server
 * @param flightPort port of Arrow Flight
 * @param httpPort port of REST and health
 * @param rack failure domain, empty when not told
 * @param incarnation new for every start of the process
 * @param bootId the operating system's boot id, empty where there is none
 */
public record TabletIdentity(
    int serverId,
    String host,
    int flightPort,
    int httpPort,
    String rack,
    String incarnation,
    String bootId) {
  public TabletIdentity {
    if (serverId < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "Server id is " + serverId + "; it must be at least 1");
    }
  }
}
