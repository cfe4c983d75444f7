package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code server} file: which server a data directory belongs to. The replicas in it are known
 * to the cluster as that server's; under another id they would pass for copies that they are not.
 */
final class DirectoryOwner {
  private static final Logger log = LoggerFactory.getLogger(DirectoryOwner.class);
  private static final String NAME = "server";
  private static final String MAGIC = "SLUCSERV";

  private DirectoryOwner() {}

  /**
   * Makes a directory that belongs to nobody this server's: a new one, or one of a version that did
   * not record it.
   *
   * @throws SluiceException INVALID_ARGUMENT when it belongs to another server; nothing was changed
   *     then. CORRUPT_STORAGE when the file is damaged
   */
  static void claim(FileOpener files, Path root, int serverId) throws IOException {
    CheckedFile file = new CheckedFile(files, root.resolve(NAME), MAGIC);
    ByteBuffer payload = file.read();
    if (payload == null) {
      save(file, root, serverId);
      return;
    }
    int owner = payload.getInt();
    if (owner != serverId) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Data directory "
              + root
              + " belongs to tablet server "
              + owner
              + ", but this is server "
              + serverId
              + "; give this server its own directory (sluice.tablet.data-dir), or start it as"
              + " server "
              + owner
              + " (sluice.tablet.id) if no other process does");
    }
  }

  /** A disk without room for it must not keep a server from serving reads. */
  private static void save(CheckedFile file, Path root, int serverId) throws IOException {
    try {
      file.write(CheckedFile.payload(8).putInt(serverId).putInt(0).flip());
    } catch (IOException e) {
      if (!DurableFiles.isOutOfSpace(e)) {
        throw e;
      }
      log.warn(
          "Data directory {} does not say yet that it is of server {}: {}",
          root,
          serverId,
          e.getMessage());
    }
  }
}
