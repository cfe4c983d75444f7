package io.sluice.tiering.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/** A new local file for Parquet's writer. Closing its stream forces it to disk. */
final class DurableOutputFile implements OutputFile {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final Path path;

  DurableOutputFile(Path path) {
    this.path = path;
  }

  @Override
  public PositionOutputStream create(long blockSizeHint) throws IOException {
    return new ChannelStream(
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
  }

  @Override
  public PositionOutputStream createOrOverwrite(long blockSizeHint) throws IOException {
    return create(blockSizeHint);
  }

  @Override
  public boolean supportsBlockSize() {
    return false;
  }

  @Override
  public long defaultBlockSize() {
    return 0;
  }

  @Override
  public String getPath() {
    return path.toString();
  }

  /** Collects small writes; large ones go to the channel as they are. */
  private static final class ChannelStream extends PositionOutputStream {
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    private long written;

    ChannelStream(FileChannel channel) {
      this.channel = channel;
    }

    @Override
    public long getPos() {
      return written + buffer.position();
    }

    @Override
    public void write(int value) throws IOException {
      if (!buffer.hasRemaining()) {
        drain();
      }
      buffer.put((byte) value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (length > buffer.remaining()) {
        drain();
      }
      if (length > buffer.capacity()) {
        writeFully(ByteBuffer.wrap(bytes, offset, length));
      } else {
        buffer.put(bytes, offset, length);
      }
    }

    private void drain() throws IOException {
      buffer.flip();
      writeFully(buffer);
      buffer.clear();
    }

    private void writeFully(ByteBuffer bytes) throws IOException {
      while (bytes.hasRemaining()) {
        written += channel.write(bytes);
      }
    }

    @Override
    public void close() throws IOException {
      if (!channel.isOpen()) {
        return;
      }
      try (channel) {
        drain();
        channel.force(true);
      }
    }
  }
}
