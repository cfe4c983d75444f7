package io.sluice.tablet.kv.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.KvPosition;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of a manifest, held against the stored example of docs/formats/kv-snapshot.md. */
final class SnapshotManifestTest {
  private static final Path PATH = Path.of("kv-snapshots", "x", SnapshotManifest.NAME);
  private static final SnapshotManifest MANIFEST =
      new SnapshotManifest(
          new TableBucket(258, 3, 5),
          7,
          new KvPosition(1_000_000, 250_000),
          1_700_000_000_000L,
          List.of(
              new SnapshotFile("000012.sst", 67_108_864_000L, 0x89abcdef),
              new SnapshotFile("CURRENT", 16, 0x01020304),
              new SnapshotFile("MANIFEST-000005", 211, -1)));

  @Test
  void bytesAreThoseOfTheStoredExample() throws Exception {
    assertThat(HexFormat.of().formatHex(MANIFEST.encode().array())).isEqualTo(golden());
  }

  @Test
  void storedExampleIsRead() throws Exception {
    SnapshotManifest read = SnapshotManifest.decode(HexFormat.of().parseHex(golden()), PATH);
    assertThat(read).isEqualTo(MANIFEST);
    assertThat(read.bytes()).isEqualTo(67_108_864_227L);
  }

  @Test
  void rowsMayBeUnknownAndFilesNone() {
    SnapshotManifest manifest =
        new SnapshotManifest(
            TableBucket.of(1, 0), 1, new KvPosition(9, KvPosition.UNKNOWN_ROWS), 0, List.of());
    assertThat(SnapshotManifest.decode(manifest.encode().array(), PATH)).isEqualTo(manifest);
  }

  @Test
  void everyChangedByteAndEveryLengthIsRefused() {
    byte[] good = MANIFEST.encode().array();
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= 0x10;
      assertDamaged(bad);
      assertDamaged(Arrays.copyOf(good, at));
    }
    assertDamaged(Arrays.copyOf(good, good.length + 1));
  }

  @Test
  void namesThatLeaveTheDirectoryAreRefused() {
    for (String name : List.of("", "..", ".", "../x", "/etc/passwd", "a/b")) {
      assertThatThrownBy(() -> new SnapshotFile(name, 1, 1))
          .isInstanceOfSatisfying(
              SluiceException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE));
    }
  }

  private static void assertDamaged(byte[] bytes) {
    assertThatThrownBy(() -> SnapshotManifest.decode(bytes, PATH))
        .isInstanceOfSatisfying(
            SluiceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE))
        .hasMessageContaining(SnapshotManifest.NAME);
  }

  private static String golden() throws IOException {
    try (InputStream in =
        SnapshotManifestTest.class.getResourceAsStream("/golden/kv-snapshot.hex")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("\\s", "");
    }
  }
}
