package io.sluice.lake.catalog;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * Files of a warehouse in a local directory. A file is there in full or not at all: it is written
 * beside its place, forced, moved, and its directory forced, so that the catalog never names
 * metadata that a crash could take away. Nothing outside of the warehouse is read or written.
 */
final class LocalFileIO implements FileIO {
  private static final long serialVersionUID = 1L;
  private static final int BUFFER_BYTES = 64 * 1024;

  private final transient Locations locations;

  LocalFileIO(Locations locations) {
    this.locations = locations;
  }

  @Override
  public InputFile newInputFile(String location) {
    return new LocalInput(location, locations.path(location));
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new LocalOutput(location, locations.path(location));
  }

  @Override
  public void deleteFile(String location) {
    try {
      Files.deleteIfExists(locations.path(location));
    } catch (IOException e) {
      throw new RuntimeIOException(e, "Cannot delete %s", location);
    }
  }

  private record LocalInput(String location, Path path) implements InputFile {
    @Override
    public long getLength() {
      try {
        return Files.size(path);
      } catch (NoSuchFileException e) {
        throw new NotFoundException(e, "File %s does not exist", location);
      } catch (IOException e) {
        throw new RuntimeIOException(e, "Cannot read the length of %s", location);
      }
    }

    @Override
    public SeekableInputStream newStream() {
      return org.apache.iceberg.Files.localInput(path.toFile()).newStream();
    }

    @Override
    public boolean exists() {
      return Files.exists(path);
    }
  }

  private record LocalOutput(String location, Path path) implements OutputFile {
    @Override
    public PositionOutputStream create() {
      if (Files.exists(path)) {
        throw new AlreadyExistsException("File %s exists", location);
      }
      return open(true);
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return open(false);
    }

    private PositionOutputStream open(boolean onlyNew) {
      try {
        DurableDirectories.create(path.resolveSibling(""));
        return new DurableStream(path, onlyNew);
      } catch (IOException e) {
        throw new RuntimeIOException(e, "Cannot create %s", location);
      }
    }

    @Override
    public InputFile toInputFile() {
      return new LocalInput(location, path);
    }
  }

  /** Writes to a file beside the target, and puts it in place when it is closed. */
  private static final class DurableStream extends PositionOutputStream {
    private final Path path;
    private final Path temporary;
    private final boolean onlyNew;
    private final FileChannel channel;
    private final OutputStream out;
    private long position;
    private boolean closed;

    DurableStream(Path path, boolean onlyNew) throws IOException {
      this.path = path;
      this.onlyNew = onlyNew;
      this.temporary =
          path.resolveSibling("." + path.getFileName() + "." + UUID.randomUUID() + ".tmp");
      this.channel =
          FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      this.out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void write(int b) throws IOException {
      out.write(b);
      position++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      position += length;
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      try (channel) {
        out.flush();
        channel.force(true);
        publish();
      } finally {
        Files.deleteIfExists(temporary);
      }
    }

    private void publish() throws IOException {
      if (onlyNew) {
        // A link fails when the name is taken; a move would replace what is there.
        try {
          Files.createLink(path, temporary);
        } catch (FileAlreadyExistsException e) {
          throw new AlreadyExistsException(e, "File %s exists", path);
        }
      } else {
        Files.move(
            temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }
      DurableDirectories.force(path.resolveSibling(""));
    }
  }
}
