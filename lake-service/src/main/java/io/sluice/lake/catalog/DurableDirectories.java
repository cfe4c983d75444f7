package io.sluice.lake.catalog;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Directories whose entries survive a power loss. */
final class DurableDirectories {
  private DurableDirectories() {}

  /** Creates the directory with its parents, each forced into the one above. */
  static void create(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.getParent();
    if (parent != null) {
      create(parent);
    }
    Files.createDirectories(directory);
    if (parent != null) {
      force(parent);
    }
  }

  /** Forces the names in a directory to disk. */
  static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Removes a directory and all in it; nothing when it is not there. Follows no links. */
  static void deleteTree(Path directory) throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.deleteIfExists(directory);
      return;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        deleteTree(entry);
      }
    }
    Files.deleteIfExists(directory);
  }
}
