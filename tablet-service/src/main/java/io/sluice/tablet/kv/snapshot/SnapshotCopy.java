package io.sluice.tablet.kv.snapshot;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.kv.KvPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a store as of one offset, in a directory of their own, to be read once from the
 * first byte to the last and sent elsewhere. Removed when it is closed; what a crash leaves goes at
 * the next start, with the snapshots that were not finished. One owner at a time.
 */
public final class SnapshotCopy implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SnapshotCopy.class);

  private final Path directory;
  private final SnapshotManifest manifest;
  private int next;
  private @Nullable FileChannel open;
  private long position;

  SnapshotCopy(Path directory, SnapshotManifest manifest) {
    this.directory = directory;
    this.manifest = manifest;
  }

  /**
   * A part of a file.
   *
   * @param name of the file, without a directory
   * @param position of the first byte in it
   * @param content belongs to the caller
   */
  public record Piece(String name, long position, ByteBuffer content) {}

  /** Applied offset and number of rows of the store in it. */
  public KvPosition position() {
    return manifest.position();
  }

  /** The manifest, as {@code docs/formats/kv-snapshot.md} describes it. */
  public ByteBuffer manifest() {
    return manifest.encode();
  }

  /** Bytes of all files. */
  public long bytes() {
    return manifest.bytes();
  }

  /**
   * The next piece, file after file in the order of the manifest; null behind the last. A file
   * without content has none.
   *
   * @throws SluiceException STORAGE_ERROR when the files cannot be read any more
   */
  public @Nullable Piece next(int maxBytes) {
    try {
      while (next < manifest.files().size()) {
        Piece piece = pieceOf(manifest.files().get(next), maxBytes);
        if (piece != null) {
          return piece;
        }
        next++;
      }
      return null;
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot read the copy " + directory + ": " + e, e);
    }
  }

  private @Nullable Piece pieceOf(SnapshotFile file, int maxBytes) throws IOException {
    if (position == file.size()) {
      closeFile();
      return null;
    }
    FileChannel channel = open;
    if (channel == null) {
      channel = FileChannel.open(directory.resolve(file.name()), StandardOpenOption.READ);
      open = channel;
    }
    int length = (int) Math.min(maxBytes, file.size() - position);
    ByteBuffer content = ByteBuffer.allocate(length);
    while (content.hasRemaining()) {
      if (channel.read(content, position + content.position()) < 0) {
        throw new IOException(file.name() + " ends at " + (position + content.position()));
      }
    }
    Piece piece = new Piece(file.name(), position, content.flip());
    position += length;
    return piece;
  }

  private void closeFile() throws IOException {
    FileChannel channel = open;
    open = null;
    position = 0;
    if (channel != null) {
      channel.close();
    }
  }

  @Override
  public void close() {
    try {
      closeFile();
      SnapshotIo.deleteTree(directory);
    } catch (IOException e) {
      log.warn("{} is left for the next start: {}", directory, e.toString());
    }
  }
}
