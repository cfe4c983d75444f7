package io.sluice.tablet.kv.snapshot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Files and directories of snapshots. */
final class SnapshotIo {
  private static final int CHUNK = 1 << 20;

  private SnapshotIo() {}

  /**
   * The crc32c of a file.
   *
   * @param stop asked now and then; null is returned once it says so
   */
  static @Nullable Integer crc32c(Path file, BooleanSupplier stop) throws IOException {
    CRC32C crc = new CRC32C();
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (channel.read(chunk) >= 0) {
        if (stop.getAsBoolean()) {
          return null;
        }
        crc.update(chunk.flip());
        chunk.clear();
      }
    }
    return (int) crc.getValue();
  }

  /** Writes a new file and forces it. */
  static void write(Path file, ByteBuffer bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  /** Forces a file's bytes. */
  static void force(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Forces the names in a directory. */
  static void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** What is in a directory, by name; nothing when there is no such directory. */
  static List<Path> children(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
        entries.forEach(found::add);
      } catch (NoSuchFileException gone) {
        // Somebody else removes it too.
        return List.of();
      }
      found.sort(null);
    }
    return found;
  }

  /** Removes a directory and all in it, if it is there. */
  static void deleteTree(Path directory) throws IOException {
    for (Path entry : children(directory)) {
      if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
        deleteTree(entry);
      } else {
        Files.deleteIfExists(entry);
      }
    }
    Files.deleteIfExists(directory);
  }

  /** The same file under another name, where the file system can; else a forced copy. */
  static void link(Path from, Path to) throws IOException {
    try {
      Files.createLink(to, from);
    } catch (UnsupportedOperationException noLinks) {
      copy(from, to);
    }
  }

  static void copy(Path from, Path to) throws IOException {
    Files.copy(from, to);
    force(to);
  }
}
