package io.sluice.tablet.kv.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreFilesTest {
  @TempDir private Path temp;

  private Path directory(String name) throws IOException {
    Path made = Files.createDirectories(temp.resolve(name));
    Files.write(made.resolve("CURRENT"), new byte[10]);
    return made;
  }

  /** The thread that asks for it serves other buckets: it waits for no file to be deleted. */
  @Test
  void whatIsDroppedIsOutOfTheWayBeforeItIsDeleted() throws IOException {
    Path store = directory("kv");
    Path kept = directory("kv-snapshots/00000000000000000040");
    Path above = directory("kv-snapshots/00000000000000000041");
    Path unfinished = directory("kv-snapshots/making.tmp");
    List<Path> first = StoreFiles.dropAbove(store, 40);
    assertThat(first).hasSize(3).allMatch(each -> Files.exists(each.resolve("CURRENT")));
    assertThat(List.of(store, above, unfinished)).noneMatch(Files::exists);
    assertThat(kept.resolve("CURRENT")).exists();
    // Another time while those of the first are still there.
    directory("kv");
    List<Path> second = StoreFiles.dropAbove(store, -1);
    assertThat(second).hasSize(2).doesNotContainAnyElementsOf(first);
    assertThat(StoreFiles.dropAbove(store, -1)).isEmpty();
    first.forEach(StoreFiles::remove);
    assertThat(first).noneMatch(Files::exists);
    // A process that stops before the rest leaves it to the next one.
    StoreFiles.removeLeftovers(store);
    try (var left = Files.list(temp)) {
      assertThat(left).containsExactly(temp.resolve("kv-snapshots"));
    }
  }

  @Test
  void whatIsInstalledTakesThePlaceOfTheStore() throws IOException {
    Path store = directory("kv");
    Path fetched = StoreFiles.fetching(store, 1);
    Files.createDirectory(fetched);
    Files.write(fetched.resolve("arrived"), new byte[1]);
    StoreFiles.install(fetched, store);
    assertThat(store.resolve("arrived")).exists();
    assertThat(store.resolve("CURRENT")).doesNotExist();
    try (var left = Files.list(temp)) {
      assertThat(left).containsExactly(store);
    }
  }
}
