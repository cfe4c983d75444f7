package io.sluice.tablet.kv.snapshot;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.tablet.kv.KvPosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes in a {@link SnapshotCopy} of another server, piece by piece, into a directory of its own:
 * every byte of every file must be what the manifest says. Closed, it removes what it has, unless
 * that is to be {@link #keep kept}. One owner.
 */
public final class SnapshotReceiver implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SnapshotReceiver.class);

  /** What is left for others; the log of this bucket grows meanwhile. */
  private static final long SPARE_BYTES = 64 << 20;

  private final TableBucket bucket;
  private final Path directory;
  private @Nullable SnapshotManifest manifest;
  private int next;
  private @Nullable FileChannel open;
  private final CRC32C crc = new CRC32C();
  private long position;
  private boolean kept;

  private SnapshotReceiver(TableBucket bucket, Path directory) {
    this.bucket = bucket;
    this.directory = directory;
  }

  /**
   * Makes the directory, which must not exist, in one that must: the directories of a bucket that
   * has been removed do not come back.
   */
  public static SnapshotReceiver create(TableBucket bucket, Path directory) {
    try {
      Files.createDirectory(directory);
    } catch (IOException e) {
      throw failed(directory, e);
    }
    return new SnapshotReceiver(bucket, directory);
  }

  private static SluiceException failed(Path directory, IOException e) {
    return new SluiceException(
        ErrorCode.STORAGE_ERROR, "Cannot take in the rows in " + directory + ": " + e, e);
  }

  /** Takes the manifest, which comes first and once; DISK_FULL when its files do not fit. */
  public void manifest(byte[] bytes) {
    if (manifest != null) {
      throw wrong("a second manifest");
    }
    SnapshotManifest sent = SnapshotManifest.decode(bytes, directory);
    if (!sent.bucket().equals(bucket)) {
      throw wrong("the rows of " + sent.bucket() + " instead of those of " + bucket);
    }
    requireSpace(sent.bytes());
    manifest = sent;
  }

  /** Refused before it fills the disk rather than when it has. */
  private void requireSpace(long bytes) {
    try {
      long usable = Files.getFileStore(directory).getUsableSpace();
      if (usable < bytes + SPARE_BYTES) {
        throw new SluiceException(
            ErrorCode.DISK_FULL,
            "The rows of "
                + bucket
                + " take "
                + bytes
                + " bytes, but only "
                + usable
                + " are free at "
                + directory);
      }
    } catch (IOException e) {
      throw failed(directory, e);
    }
  }

  /** Takes the next piece; its content is read. */
  public void piece(String name, long at, ByteBuffer content) {
    SnapshotManifest sent = manifest;
    if (sent == null) {
      throw wrong("a piece of '" + name + "' before the manifest");
    }
    try {
      finishFiles(sent.files());
      SnapshotFile file = next < sent.files().size() ? sent.files().get(next) : null;
      if (file == null || !file.name().equals(name) || at != position) {
        throw wrong(
            "a piece of '"
                + name
                + "' at "
                + at
                + " where "
                + (file == null ? "the end" : "'" + file.name() + "' at " + position)
                + " is expected");
      }
      if (content.remaining() == 0 || content.remaining() > file.size() - position) {
        throw wrong(
            content.remaining() + " bytes at " + at + " of '" + name + "' of " + file.size());
      }
      write(file, content);
    } catch (IOException e) {
      throw failed(directory, e);
    }
  }

  private void write(SnapshotFile file, ByteBuffer content) throws IOException {
    FileChannel channel = open;
    if (channel == null) {
      channel = create(file);
      open = channel;
    }
    crc.update(content.duplicate());
    position += content.remaining();
    while (content.hasRemaining()) {
      channel.write(content);
    }
  }

  private FileChannel create(SnapshotFile file) throws IOException {
    return FileChannel.open(
        directory.resolve(file.name()), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /** Closes the files that are whole; those without content too. */
  private void finishFiles(List<SnapshotFile> files) throws IOException {
    while (next < files.size() && position == files.get(next).size()) {
      SnapshotFile file = files.get(next);
      try (FileChannel channel = open == null ? create(file) : open) {
        channel.force(true);
      }
      open = null;
      if ((int) crc.getValue() != file.crc32c()) {
        throw wrong("'" + file.name() + "' with another checksum than its manifest has");
      }
      crc.reset();
      position = 0;
      next++;
    }
  }

  /**
   * Everything has come, is as it must be, and forced.
   *
   * @return the position of the store
   */
  public KvPosition finish() {
    SnapshotManifest sent = manifest;
    if (sent == null) {
      throw wrong("nothing");
    }
    try {
      finishFiles(sent.files());
      if (next < sent.files().size()) {
        throw wrong(
            "only " + position + " bytes of '" + sent.files().get(next).name() + "' and no more");
      }
      SnapshotIo.forceDirectory(directory);
    } catch (IOException e) {
      throw failed(directory, e);
    }
    return sent.position();
  }

  /** The files stay. */
  public void keep() {
    kept = true;
  }

  private SluiceException wrong(String what) {
    return new SluiceException(
        ErrorCode.CORRUPT_STORAGE, "The leader of " + bucket + " sent " + what);
  }

  /** Removes it all unless it is kept. */
  @Override
  public void close() {
    try {
      FileChannel channel = open;
      if (channel != null) {
        open = null;
        channel.close();
      }
      if (!kept) {
        SnapshotIo.deleteTree(directory);
      }
    } catch (IOException e) {
      log.warn("{} is left for the next start: {}", directory, e.toString());
    }
  }
}
