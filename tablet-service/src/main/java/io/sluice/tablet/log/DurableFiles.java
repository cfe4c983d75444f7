package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Whole files that are there in full or not at all, and directories forced to disk. */
final class DurableFiles {
  /** Ends the name of a file that is being written; one found at start is a leftover. */
  static final String TEMPORARY = ".tmp";

  private static final int MAX_EMPTY_WRITES = 8;

  private DurableFiles() {}

  /** Puts the bytes in the file's place: written, forced, renamed, directory forced. */
  static void replace(FileOpener files, Path path, ByteBuffer... bytes) throws IOException {
    Path temporary = path.resolveSibling(path.getFileName() + TEMPORARY);
    try (FileChannel channel =
        files.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      writeFully(channel, bytes, bytes.length);
      channel.force(true);
    }
    Files.move(
        temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    forceDirectory(files, path.resolveSibling(""));
  }

  /** Whether a file could not grow because its disk, or its owner's quota, is full. */
  static boolean isOutOfSpace(IOException e) {
    String text = String.valueOf(e.getMessage());
    return text.contains("No space left on device") || text.contains("Disk quota exceeded");
  }

  /** Forces the names in a directory to disk. */
  static void forceDirectory(FileOpener files, Path directory) throws IOException {
    try (FileChannel channel = files.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Writes everything at the channel's position, however little one call takes. */
  static void writeFully(FileChannel channel, ByteBuffer[] buffers, int count) throws IOException {
    int first = 0;
    int empty = 0;
    while (true) {
      while (first < count && !buffers[first].hasRemaining()) {
        first++;
      }
      if (first == count) {
        return;
      }
      if (channel.write(buffers, first, count - first) > 0) {
        empty = 0;
      } else if (++empty == MAX_EMPTY_WRITES) {
        throw new IOException("The file took none of the bytes, " + empty + " times in a row");
      }
    }
  }

  /** Reads until the buffer is full or the file ends; returns the bytes read. */
  static int readFully(FileChannel channel, ByteBuffer target, long position) throws IOException {
    int total = 0;
    while (target.hasRemaining()) {
      int read = channel.read(target, position + total);
      if (read < 0) {
        break;
      }
      total += read;
    }
    return total;
  }

  /** Removes a directory and all in it. */
  static void deleteTree(Path directory) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (Files.isDirectory(entry)) {
          deleteTree(entry);
        } else {
          Files.deleteIfExists(entry);
        }
      }
    }
    Files.deleteIfExists(directory);
  }
}
