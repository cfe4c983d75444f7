package io.sluice.tablet.kv;

import static io.sluice.tablet.kv.KvFixture.Change.delete;
import static io.sluice.tablet.kv.KvFixture.Change.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** The keys and values of a store, held against the stored example of docs/formats/kv-store.md. */
final class KvFormatTest {
  private static final HexFormat HEX = HexFormat.of();

  @TempDir private Path temp;

  @Test
  void wholeStore() throws Exception {
    Path directory = temp.resolve("kv");
    try (KvFixture kv = new KvFixture(directory)) {
      kv.put(put(1, "SFO", "San Francisco", 7), put(-2, null, "", null), put(3, "x", null, 0));
      kv.clock.advanceMs(3);
      kv.put(put(1, "SFO", null, 8), delete(3, null, null, null));
      kv.tablet.advance(kv.logEnd);
    }
    assertThat(dump(directory)).isEqualTo(golden());
  }

  @Test
  void goldenStoreIsRead() throws Exception {
    Path directory = temp.resolve("kv");
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, directory.toString())) {
      for (String line : golden()) {
        String[] pair = line.split(" = ");
        db.put(HEX.parseHex(pair[0]), HEX.parseHex(pair[1]));
      }
    }
    try (KvResources resources = KvResources.open(KvFixture.settings())) {
      KvStore store = KvStore.open(resources, KvFixture.BUCKET, directory, () -> {});
      assertThat(store.position()).isEqualTo(new KvPosition(6, 2));
      assertThat(KvFixture.show(KvFixture.SCHEMA, store.get(KvFixture.key(1))))
          .isEqualTo("[1, SFO, null, 8]");
      assertThat(KvFixture.show(KvFixture.SCHEMA, store.get(KvFixture.key(-2))))
          .isEqualTo("[-2, null, , null]");
    }
  }

  @Test
  void damagedMetaValuesAreRefused() {
    byte[] identity = KvMeta.encodeIdentity(KvFixture.BUCKET);
    KvMeta.checkIdentity(identity, KvFixture.BUCKET, "store");
    for (int at = 0; at < identity.length; at++) {
      byte[] bad = identity.clone();
      bad[at] ^= 1;
      assertDamaged(() -> KvMeta.checkIdentity(bad, KvFixture.BUCKET, "store"));
    }
    assertDamaged(() -> KvMeta.decodePosition(null, "store"));
    assertDamaged(() -> KvMeta.decodePosition(new byte[15], "store"));
    byte[] negative = new byte[16];
    negative[7] = (byte) 0x80;
    assertDamaged(() -> KvMeta.decodePosition(negative, "store"));
  }

  private static void assertDamaged(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.CORRUPT_STORAGE));
  }

  private static List<String> dump(Path directory) throws RocksDBException {
    List<String> lines = new ArrayList<>();
    try (Options options = new Options();
        RocksDB db = RocksDB.openReadOnly(options, directory.toString());
        RocksIterator all = db.newIterator()) {
      for (all.seekToFirst(); all.isValid(); all.next()) {
        lines.add(HEX.formatHex(all.key()) + " = " + HEX.formatHex(all.value()));
      }
      all.status();
    }
    return lines;
  }

  private static List<String> golden() throws IOException {
    try (InputStream in = KvFormatTest.class.getResourceAsStream("/golden/kv-store.hex")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}
