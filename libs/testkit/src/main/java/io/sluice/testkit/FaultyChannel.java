package io.sluice.testkit;

import io.sluice.testkit.FaultyFiles.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** A channel that asks {@link FaultyFiles} before each operation. */
final class FaultyChannel extends FileChannel {
  private final FaultyFiles files;
  private final Path path;
  private final FileChannel channel;

  FaultyChannel(FaultyFiles files, Path path, FileChannel channel) {
    this.files = files;
    this.path = path;
    this.channel = channel;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    files.before(Operation.READ, path);
    return channel.read(target);
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
    files.before(Operation.READ, path);
    return channel.read(targets, offset, length);
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    files.before(Operation.READ, path);
    return channel.read(target, position);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    return (int) write(new ByteBuffer[] {source}, 0, 1);
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    long wanted = 0;
    for (int i = offset; i < offset + length; i++) {
      wanted += sources[i].remaining();
    }
    long admitted = files.admitWrite(path, wanted);
    if (admitted == wanted) {
      return channel.write(sources, offset, length);
    }
    long written = 0;
    for (int i = offset; i < offset + length && written < admitted; i++) {
      written += writePart(sources[i], admitted - written);
    }
    return written;
  }

  private int writePart(ByteBuffer source, long atMost) throws IOException {
    int limit = source.limit();
    source.limit((int) Math.min(limit, source.position() + atMost));
    try {
      return channel.write(source);
    } finally {
      source.limit(limit);
    }
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    files.before(Operation.WRITE, path);
    return channel.write(source, position);
  }

  @Override
  public long position() throws IOException {
    return channel.position();
  }

  @Override
  public FileChannel position(long newPosition) throws IOException {
    channel.position(newPosition);
    return this;
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    files.before(Operation.TRUNCATE, path);
    channel.truncate(size);
    return this;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    files.before(Operation.FORCE, path);
    if (files.forcing()) {
      channel.force(metaData);
    }
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    files.before(Operation.READ, path);
    return channel.transferTo(position, count, target);
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count)
      throws IOException {
    files.before(Operation.WRITE, path);
    return channel.transferFrom(source, position, count);
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    files.before(Operation.READ, path);
    return channel.map(mode, position, size);
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    return channel.lock(position, size, shared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    return channel.tryLock(position, size, shared);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    channel.close();
  }
}
