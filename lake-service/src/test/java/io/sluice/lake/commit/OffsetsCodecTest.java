package io.sluice.lake.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.catalog.CatalogStore;
import io.sluice.lake.catalog.Locations;
import io.sluice.lake.commit.LakeOffsets.Bucket;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.FileIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds the code against the stored examples of docs/formats/lake.md. */
class OffsetsCodecTest {
  private static final long TABLE = 42;
  private static final String FILE = "sluice-offsets-";

  @TempDir private Path directory;
  private CatalogStore store;
  private FileIO files;
  private String metadata;

  @BeforeEach
  void open() {
    store = CatalogStore.open(directory.resolve("catalog"), directory.resolve("warehouse"));
    files = store.catalog().operations(TableIdentifier.of("a", "t")).io();
    metadata = Locations.of(directory.resolve("warehouse/t/metadata"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static LakeOffsets many() {
    Map<Bucket, Long> offsets = new TreeMap<>();
    for (int bucket = 0; bucket < 500; bucket++) {
      offsets.put(new Bucket(0, bucket), 10_000_000_000L + bucket);
    }
    return LakeOffsets.of(offsets);
  }

  private static byte[] golden(String name) throws IOException {
    try (InputStream in = OffsetsCodecTest.class.getResourceAsStream("/golden/" + name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  private LakeOffsets decode(String value) {
    return OffsetsCodec.decode(value, "snapshot 1", files);
  }

  @Test
  void fewOffsetsAreInline() {
    Map<Bucket, Long> offsets =
        Map.of(
            new Bucket(0, 10),
            7L,
            new Bucket(0, 2),
            5L,
            new Bucket(0, 3),
            0L,
            new Bucket(9, 0),
            1L);
    String value = OffsetsCodec.encode(LakeOffsets.of(offsets), TABLE, files, metadata);
    assertThat(value).isEqualTo("{\"0-2\":5,\"0-10\":7,\"9-0\":1}");
    assertThat(decode(value)).isEqualTo(LakeOffsets.of(offsets));
    assertThat(OffsetsCodec.encode(LakeOffsets.NONE, TABLE, files, metadata)).isEqualTo("{}");
    assertThat(directory.resolve("warehouse/t")).doesNotExist();
  }

  @Test
  void manyOffsetsAreInAFileThatTheValueNames() throws IOException {
    String value = OffsetsCodec.encode(many(), TABLE, files, metadata);
    String expected =
        new String(golden("offsets-reference.txt"), StandardCharsets.UTF_8)
            .replace("WAREHOUSE", Locations.of(directory.resolve("warehouse")));
    assertThat(value).isEqualTo(expected);
    Path written = writtenFile();
    assertThat(Files.readAllBytes(written)).isEqualTo(golden(written.getFileName().toString()));
    assertThat(decode(value)).isEqualTo(many());
    // Once more: the name is the content's, so nothing is written over.
    assertThat(OffsetsCodec.encode(many(), TABLE, files, metadata)).isEqualTo(value);
  }

  @Test
  void aChangedFileIsNotBelieved() throws IOException {
    String value = OffsetsCodec.encode(many(), TABLE, files, metadata);
    byte[] bytes = Files.readAllBytes(writtenFile());
    bytes[bytes.length - 5] ^= 1;
    Files.write(writtenFile(), bytes);
    assertCorrupt(value, "has SHA-256");
    Files.delete(writtenFile());
    assertCorrupt(value, "Cannot read the offsets of snapshot 1");
  }

  @Test
  void aValueThatIsNotOursNamesItsPlace() {
    assertCorrupt("[]", "offsets of snapshot 1");
    assertCorrupt("{\"0\":1}", "0: 1");
    assertCorrupt("{\"0-0\":-1}", "0-0: -1");
    assertCorrupt("{\"0-x\":1}", "0-x: 1");
    assertCorrupt("{", "are not JSON");
    assertCorrupt("{\"file\":\"x\",\"sha256\":\"\",\"length\":-3}", "length -3");
  }

  private Path writtenFile() throws IOException {
    try (var entries = Files.list(directory.resolve("warehouse/t/metadata"))) {
      return entries
          .filter(path -> path.getFileName().toString().startsWith(FILE))
          .findFirst()
          .orElseThrow();
    }
  }

  private void assertCorrupt(String value, String words) {
    assertThatThrownBy(() -> decode(value))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE);
              assertThat(e).hasMessageContaining(words);
            });
  }
}
