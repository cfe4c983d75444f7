package io.sluice.client;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchCodec;
import io.sluice.format.batch.CompressionSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a connection and the defaults of its writers and scanners.
 *
 * @param coordinators coordinators to start from, each {@code host:port}
 * @param deliveryTimeout how long a write or a broken scan is retried before it fails
 * @param requestTimeout how long a single request (metadata, offsets) may take with its retries
 * @param batchBytes uncompressed bytes at which a batch is closed
 * @param linger the longest that a batch waits for more rows. It waits only while they come fast
 *     enough to fill it in that time, or while its bucket or the server still owes answers; the
 *     rows of a slower source go at once when no answer is owed, and 0.4 ms after a batch of
 *     another bucket that is on its way
 * @param bufferBytes memory for rows that are not yet stored; a full buffer blocks appends
 * @param compression codec and level of batches, null for what each table says, zstd when it says
 *     nothing
 * @param acks when an append counts as done
 * @param scanBufferBytes received bytes that a scanner holds for {@code poll}
 */
public record ClientConfig(
    List<String> coordinators,
    Duration deliveryTimeout,
    Duration requestTimeout,
    int batchBytes,
    Duration linger,
    long bufferBytes,
    @Nullable CompressionSettings compression,
    Acks acks,
    long scanBufferBytes) {
  private static final int MIN_BATCH_BYTES = 1024;
  private static final int MAX_BATCH_BYTES = 3 * 1024 * 1024;

  public ClientConfig {
    coordinators = List.copyOf(coordinators);
    require(!coordinators.isEmpty(), "coordinators are empty; name at least one host:port");
    require(isPositive(deliveryTimeout), "deliveryTimeout is " + deliveryTimeout);
    require(isPositive(requestTimeout), "requestTimeout is " + requestTimeout);
    require(
        batchBytes >= MIN_BATCH_BYTES && batchBytes <= MAX_BATCH_BYTES,
        "batchBytes is "
            + batchBytes
            + "; it must be between "
            + MIN_BATCH_BYTES
            + " and "
            + MAX_BATCH_BYTES);
    require(!linger.isNegative(), "linger is " + linger);
    require(
        bufferBytes >= batchBytes,
        "bufferBytes is " + bufferBytes + "; it must be at least batchBytes, " + batchBytes);
    require(scanBufferBytes > 0, "scanBufferBytes is " + scanBufferBytes);
  }

  /** The defaults for these coordinators, {@code host:port[,host:port]}. */
  public static ClientConfig of(String coordinators) {
    List<String> addresses = new ArrayList<>();
    for (String each : coordinators.split(",")) {
      if (!each.isBlank()) {
        addresses.add(each.strip());
      }
    }
    return new ClientConfig(
        addresses,
        Duration.ofMinutes(2),
        Duration.ofSeconds(30),
        1024 * 1024,
        Duration.ofMillis(20),
        64L * 1024 * 1024,
        null,
        Acks.ALL,
        32L * 1024 * 1024);
  }

  /** A copy with this delivery time-out. */
  public ClientConfig withDeliveryTimeout(Duration timeout) {
    return new ClientConfig(
        coordinators,
        timeout,
        requestTimeout,
        batchBytes,
        linger,
        bufferBytes,
        compression,
        acks,
        scanBufferBytes);
  }

  /** A copy with this request time-out. */
  public ClientConfig withRequestTimeout(Duration timeout) {
    return new ClientConfig(
        coordinators,
        deliveryTimeout,
        timeout,
        batchBytes,
        linger,
        bufferBytes,
        compression,
        acks,
        scanBufferBytes);
  }

  /** A copy that closes batches at this many uncompressed bytes. */
  public ClientConfig withBatchBytes(int bytes) {
    return new ClientConfig(
        coordinators,
        deliveryTimeout,
        requestTimeout,
        bytes,
        linger,
        bufferBytes,
        compression,
        acks,
        scanBufferBytes);
  }

  /** A copy with this linger. */
  public ClientConfig withLinger(Duration duration) {
    return new ClientConfig(
        coordinators,
        deliveryTimeout,
        requestTimeout,
        batchBytes,
        duration,
        bufferBytes,
        compression,
        acks,
        scanBufferBytes);
  }

  /** A copy with this much memory for rows that are not yet stored. */
  public ClientConfig withBufferBytes(long bytes) {
    return new ClientConfig(
        coordinators,
        deliveryTimeout,
        requestTimeout,
        batchBytes,
        linger,
        bytes,
        compression,
        acks,
        scanBufferBytes);
  }

  /** A copy with this codec and level. */
  public ClientConfig withCompression(CompressionSettings settings) {
    return new ClientConfig(
        coordinators,
        deliveryTimeout,
        requestTimeout,
        batchBytes,
        linger,
        bufferBytes,
        settings,
        acks,
        scanBufferBytes);
  }

  /** A copy with this codec at its default level. */
  public ClientConfig withCodec(BatchCodec codec) {
    return withCompression(CompressionSettings.of(codec));
  }

  /** A copy with these acks. */
  public ClientConfig withAcks(Acks newAcks) {
    return new ClientConfig(
        coordinators,
        deliveryTimeout,
        requestTimeout,
        batchBytes,
        linger,
        bufferBytes,
        compression,
        newAcks,
        scanBufferBytes);
  }

  /** A copy with this bound for what a scanner holds. */
  public ClientConfig withScanBufferBytes(long bytes) {
    return new ClientConfig(
        coordinators,
        deliveryTimeout,
        requestTimeout,
        batchBytes,
        linger,
        bufferBytes,
        compression,
        acks,
        bytes);
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero();
  }

  private static void require(boolean good, String message) {
    if (!good) {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "Client setting " + message);
    }
  }
}
