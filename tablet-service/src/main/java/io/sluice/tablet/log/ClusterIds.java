package io.sluice.tablet.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.UUID;

/** The 16 bytes that stand for a cluster id in file headers. */
final class ClusterIds {
  private ClusterIds() {}

  /** A UUID's own bytes, big-endian; of any other text the first 16 bytes of its SHA-256. */
  static byte[] bytes(String clusterId) {
    if (clusterId.length() == 36) {
      try {
        UUID uuid = UUID.fromString(clusterId);
        return ByteBuffer.allocate(16)
            .putLong(uuid.getMostSignificantBits())
            .putLong(uuid.getLeastSignificantBits())
            .array();
      } catch (IllegalArgumentException notUuid) {
        return digest(clusterId);
      }
    }
    return digest(clusterId);
  }

  private static byte[] digest(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Arrays.copyOf(hash, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
