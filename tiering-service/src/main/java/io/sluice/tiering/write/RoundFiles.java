package io.sluice.tiering.write;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one round, one bucket a file, in a directory that nobody else writes to. After
 * {@link #finish} all of them are durable. For one thread.
 */
public final class RoundFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RoundFiles.class);

  private static final String SCHEME = "file:";

  private final LakeTarget target;
  private final WriteSettings settings;
  private final String location;
  private final Path directory;
  private final ZstdPages compressor = new ZstdPages();
  private final TreeMap<Integer, LakeFile> open = new TreeMap<>();
  private final List<WrittenFile> finished = new ArrayList<>();
  private final List<Path> paths = new ArrayList<>();
  private long finishedBytes;
  private boolean created;
  private boolean closed;

  /**
   * @param location directory of this round as a {@code file:} URI or an absolute path; made with
   *     the first file
   * @throws SluiceException UNSUPPORTED for a location that is not on this machine
   */
  public RoundFiles(LakeTarget target, WriteSettings settings, String location) {
    this.target = target;
    this.settings = settings;
    this.location =
        location.endsWith("/") ? location.substring(0, location.length() - 1) : location;
    this.directory = local(location);
  }

  /** Taken literally, as lake-service does: nothing is percent-decoded. */
  private static Path local(String location) {
    String text = location;
    if (text.startsWith(SCHEME)) {
      text = text.substring(SCHEME.length());
      // file:/a and file:///a are local; file://a/b names a host.
      if (text.startsWith("///")) {
        text = text.substring(2);
      }
    }
    if (!text.startsWith("/") || text.startsWith("//")) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Cannot write to the lake at '" + location + "'; this build writes to file:///path");
    }
    return Path.of(text).normalize();
  }

  /**
   * Adds the rows of a batch to the file of its bucket.
   *
   * @param offset offset of the first row; goes on where the bucket's batch before ended
   * @throws SluiceException INVALID_VALUE for a value that the lake cannot hold, INTERNAL when
   *     offsets have a gap
   * @throws UncheckedIOException when the store does not take them
   */
  public void write(int bucket, long offset, VectorSchemaRoot batch) {
    try {
      LakeFile file = open.get(bucket);
      if (file == null) {
        file = begin(bucket, offset);
      }
      if (file.endOffset() != offset) {
        throw new SluiceException(
            ErrorCode.INTERNAL,
            "File of "
                + target.path()
                + ", bucket "
                + bucket
                + " ends at "
                + file.endOffset()
                + "; it cannot go on at "
                + offset);
      }
      file.write(batch);
      if (file.sizeBytes() >= settings.targetFileBytes()) {
        finish(file);
      }
      boundMemory();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private LakeFile begin(int bucket, long offset) throws IOException {
    if (!created) {
      Files.createDirectories(directory);
      force(directory.getParent());
      created = true;
    }
    LakeFile file = new LakeFile(target, settings, compressor, directory, location, bucket, offset);
    open.put(bucket, file);
    return file;
  }

  /** Writes out row groups, the largest first, until the open ones fit. */
  private void boundMemory() throws IOException {
    while (true) {
      long buffered = 0;
      LakeFile largest = null;
      for (LakeFile file : open.values()) {
        buffered += file.bufferedBytes();
        if (largest == null || file.bufferedBytes() > largest.bufferedBytes()) {
          largest = file;
        }
      }
      if (largest == null || buffered <= settings.bufferBytes()) {
        return;
      }
      largest.flushGroup();
    }
  }

  private void finish(LakeFile file) throws IOException {
    paths.add(file.path());
    WrittenFile written = file.finish();
    open.remove(file.bucket());
    finished.add(written);
    finishedBytes += written.bytes();
  }

  /** Bytes written so far, the open files by estimate. */
  public long bytes() {
    long bytes = finishedBytes;
    try {
      for (LakeFile file : open.values()) {
        bytes += file.sizeBytes();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes;
  }

  /** Ends all files. When this returns they survive a loss of power. */
  public List<WrittenFile> finish() {
    try {
      for (LakeFile file : List.copyOf(open.values())) {
        finish(file);
      }
      if (created) {
        force(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.copyOf(finished);
  }

  /** Deletes every file of the round. Only for a round that is known not to be in the lake. */
  public void delete() {
    giveUpOpen();
    try {
      for (Path path : paths) {
        Files.deleteIfExists(path);
      }
      if (created) {
        Files.deleteIfExists(directory);
      }
    } catch (DirectoryNotEmptyException e) {
      LOG.warn("Directory {} of a dropped round holds files of somebody else; it stays", directory);
    } catch (IOException e) {
      LOG.warn("Files of a dropped round stay in {}: {}", directory, e.toString());
    }
    paths.clear();
    finished.clear();
  }

  private void giveUpOpen() {
    for (LakeFile file : open.values()) {
      try {
        file.close();
      } catch (UncheckedIOException e) {
        LOG.warn("File {} of a dropped round may stay: {}", file.path(), e.toString());
      }
    }
    open.clear();
  }

  /** Gives up what is not finished and frees memory; finished files stay. Twice is harmless. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      giveUpOpen();
      compressor.close();
    }
  }

  private static void force(@Nullable Path directory) throws IOException {
    if (directory != null) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }
}
