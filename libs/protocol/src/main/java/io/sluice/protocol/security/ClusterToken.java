package io.sluice.protocol.security;

import io.grpc.Metadata;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;

/**
 * Proof that a caller knows the cluster secret: {@code 1.<issued at, epoch ms>.<HMAC-SHA256 of what
 * stands before, base64url>}. It is valid for {@value #VALID_MS} ms after, and because clocks
 * differ {@value #SKEW_MS} ms before, the time it was issued.
 */
public final class ClusterToken {
  /** The gRPC metadata entry that carries the token. */
  public static final Metadata.Key<String> HEADER =
      Metadata.Key.of("sluice-cluster-token", Metadata.ASCII_STRING_MARSHALLER);

  /** How long a token is accepted. */
  public static final long VALID_MS = 300_000;

  /** How far the clocks of two servers may differ. */
  public static final long SKEW_MS = 60_000;

  private static final String VERSION = "1";
  private static final int MAX_LENGTH = 128;

  private ClusterToken() {}

  /** A token issued now. */
  public static String create(ClusterSecret secret, TimeSource time) {
    String signed = VERSION + "." + time.epochMs();
    return signed + "." + signature(secret, signed);
  }

  /** UNAUTHENTICATED unless the token was made from this secret within its validity. */
  public static void verify(String token, ClusterSecret secret, TimeSource time) {
    int end = token.lastIndexOf('.');
    if (token.length() > MAX_LENGTH || end < 0) {
      throw refused("is malformed");
    }
    String signed = token.substring(0, end);
    byte[] expected = signature(secret, signed).getBytes(StandardCharsets.US_ASCII);
    byte[] found = token.substring(end + 1).getBytes(StandardCharsets.UTF_8);
    if (!MessageDigest.isEqual(expected, found)) {
      throw refused("was not made from this cluster's secret; servers must share the secret file");
    }
    if (!signed.startsWith(VERSION + ".")) {
      throw refused("has an unknown version");
    }
    checkAge(signed.substring(VERSION.length() + 1), time);
  }

  private static void checkAge(String issuedAt, TimeSource time) {
    long issuedMs;
    try {
      issuedMs = Long.parseLong(issuedAt);
    } catch (NumberFormatException e) {
      throw refused("is malformed");
    }
    long ageMs = time.epochMs() - issuedMs;
    if (ageMs > VALID_MS) {
      throw refused("is " + ageMs + " ms old; at most " + VALID_MS + " ms are accepted");
    }
    if (ageMs < -SKEW_MS) {
      throw refused(
          "was issued " + -ageMs + " ms in the future; compare the clocks of the servers");
    }
  }

  private static String signature(ClusterSecret secret, String signed) {
    byte[] mac = secret.sign(signed.getBytes(StandardCharsets.UTF_8));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(mac);
  }

  private static SluiceException refused(String why) {
    return new SluiceException(ErrorCode.UNAUTHENTICATED, "The cluster token " + why);
  }
}
