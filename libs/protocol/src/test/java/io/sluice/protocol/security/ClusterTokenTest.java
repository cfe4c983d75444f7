package io.sluice.protocol.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.testkit.MovedClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterTokenTest {
  private final MovedClock clock = new MovedClock(1_700_000_000_000L);
  private final ClusterSecret secret = ClusterSecret.of(bytes(1));

  private static byte[] bytes(int value) {
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private void refused(String token, String why) {
    assertThatThrownBy(() -> ClusterToken.verify(token, secret, clock))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED);
              assertThat(e).hasMessageContaining(why);
            });
  }

  @Test
  void isValidForFiveMinutes() {
    String token = ClusterToken.create(secret, clock);
    ClusterToken.verify(token, secret, clock);
    clock.advanceMs(ClusterToken.VALID_MS);
    ClusterToken.verify(token, secret, clock);
    clock.advanceMs(1);
    refused(token, "300001 ms old");
  }

  @Test
  void allowsForClocksThatDiffer() {
    String token = ClusterToken.create(secret, clock);
    clock.jumpTo(1_700_000_000_000L - ClusterToken.SKEW_MS);
    ClusterToken.verify(token, secret, clock);
    clock.jumpTo(1_700_000_000_000L - ClusterToken.SKEW_MS - 1);
    refused(token, "in the future");
  }

  @Test
  void refusesATokenOfAnotherSecret() {
    refused(ClusterToken.create(ClusterSecret.of(bytes(2)), clock), "cluster's secret");
  }

  @Test
  void refusesEveryChangedCharacter() {
    String token = ClusterToken.create(secret, clock);
    for (int i = 0; i < token.length(); i++) {
      // The last character holds two unused bits, so another letter is not enough there.
      char other = token.charAt(i) == 'A' ? 'Q' : 'A';
      refused(token.substring(0, i) + other + token.substring(i + 1), "cluster token");
    }
    refused("", "malformed");
    refused("1", "malformed");
    refused("x".repeat(100_000), "malformed");
  }

  @Test
  void secretFileIsCreatedForItsOwnerOnlyAndReadBack(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("secret");
    ClusterSecret created = ClusterSecret.readOrCreate(file);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(Files.size(file)).isEqualTo(ClusterSecret.MIN_BYTES);
    String token = ClusterToken.create(created, clock);
    ClusterToken.verify(token, ClusterSecret.read(file), clock);
    ClusterToken.verify(token, ClusterSecret.readOrCreate(file), clock);
  }

  @Test
  void saysWhatIsWrongWithASecretFile(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("secret");
    assertThatThrownBy(() -> ClusterSecret.read(file))
        .hasMessageContaining(file.toString())
        .hasMessageContaining("does not exist");
    Files.write(file, new byte[31]);
    assertThatThrownBy(() -> ClusterSecret.read(file))
        .hasMessageContaining("31 bytes")
        .hasMessageContaining("at least 32");
  }
}
