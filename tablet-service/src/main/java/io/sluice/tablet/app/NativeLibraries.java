package io.sluice.tablet.app;

import com.github.luben.zstd.util.Native;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;

/**
 * Loads the libraries that are not Java from a directory of the tablet's own. They unpack
 * themselves into a file each; a loaded file needs no name any more and is deleted at once. By
 * itself each would leave its copy in the system's temporary directory whenever the process is
 * killed.
 */
final class NativeLibraries {
  private NativeLibraries() {}

  /**
   * Loads them, once in a process. What a process that was killed meanwhile has left is removed.
   *
   * @param directory made when it is not there, empty afterwards
   */
  static void load(Path directory) {
    try {
      Files.createDirectories(directory);
      empty(directory);
      try {
        NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
        Native.load(directory.toFile());
      } finally {
        empty(directory);
      }
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR,
          "Cannot unpack native libraries into " + directory + ": " + e,
          e);
    }
  }

  private static void empty(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }
}
