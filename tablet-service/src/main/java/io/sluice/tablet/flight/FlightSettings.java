package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.time.Duration;

/**
 * Limits of the Flight service.
 *
 * @param serverId id of this server
 * @param version version of this build
 * @param unansweredBytes bytes of puts that one connection may have unanswered
 * @param scanBufferBytes bytes that may wait in a scan's connection before reading pauses
 * @param maxScans scans that may be open at once
 * @param scanThreads threads that read batches
 * @param putTimeout how long a batch that a bucket cannot take is tried again after its first
 *     refusal, for a client that sends plain Arrow
 * @param peerTimeout how long another tablet may leave such a put unanswered
 */
public record FlightSettings(
    int serverId,
    String version,
    long unansweredBytes,
    int scanBufferBytes,
    int maxScans,
    int scanThreads,
    Duration putTimeout,
    Duration peerTimeout) {
  /**
   * Largest gRPC message taken in: well above the largest row, so that a row that is too large is
   * refused by name.
   */
  public static final int MAX_MESSAGE_BYTES = 64 << 20;

  /** Window of a stream, and of the connection, that carries batches. */
  public static final int FLOW_CONTROL_WINDOW_BYTES = 4 << 20;

  /** Longer than a leader waits for a follower that is silent before it answers a put. */
  private static final Duration PEER_TIMEOUT = Duration.ofSeconds(30);

  public FlightSettings {
    if (unansweredBytes < 1 || scanBufferBytes < 1 || maxScans < 1 || scanThreads < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "unanswered-bytes, scan-buffer-bytes, max-scans and scan-threads must be at least 1");
    }
  }

  /** These limits, and the usual time for other tablets. */
  public FlightSettings(
      int serverId,
      String version,
      long unansweredBytes,
      int scanBufferBytes,
      int maxScans,
      int scanThreads,
      Duration putTimeout) {
    this(
        serverId,
        version,
        unansweredBytes,
        scanBufferBytes,
        maxScans,
        scanThreads,
        putTimeout,
        PEER_TIMEOUT);
  }

  /** Limits for a server with that id, sized for a small machine. */
  public static FlightSettings defaults(int serverId) {
    return new FlightSettings(
        serverId, "development", 64L << 20, 1 << 20, 1024, 2, Duration.ofSeconds(10));
  }
}
