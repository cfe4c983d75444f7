package io.sluice.tablet.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import io.sluice.tablet.kv.KvResources;
import io.sluice.tablet.kv.KvSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NativeLibrariesTest {
  @TempDir private Path temp;

  @Test
  void leavesNoCopyAndRemovesThoseOfAProcessThatWasKilled() throws Exception {
    Path directory = temp.resolve("data").resolve("native");
    Files.createDirectories(directory);
    Files.write(directory.resolve("librocksdbjni-linux64.so"), new byte[10]);
    Files.write(directory.resolve("libzstd-jni-1.so"), new byte[10]);
    for (int time = 0; time < 2; time++) {
      NativeLibraries.load(directory);
      assertThat(directory).isEmptyDirectory();
    }
    KvResources.open(KvSettings.defaults()).close();
    assertThat(Zstd.decompress(Zstd.compress(new byte[1000]), 1000)).hasSize(1000);
  }
}
