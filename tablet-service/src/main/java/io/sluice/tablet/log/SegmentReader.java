package io.sluice.tablet.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * Reads one segment for one user, who keeps it open until {@link #close}. Survives that another
 * user of the same channel is interrupted. Not thread-safe.
 */
final class SegmentReader implements AutoCloseable {
  private static final int MAX_REOPENS = 16;

  private final OpenFiles files;
  private final LogSegment segment;
  private OpenFiles.Opened opened;
  private boolean closed;

  SegmentReader(OpenFiles files, LogSegment segment) throws IOException {
    this.files = files;
    this.segment = segment;
    this.opened = files.acquire(segment.readFile());
  }

  LogSegment segment() {
    return segment;
  }

  /** Reads until the buffer is full or the file ends; returns the bytes read. */
  int read(ByteBuffer target, long position) throws IOException {
    int start = target.position();
    for (int reopens = 0; ; reopens++) {
      try {
        return DurableFiles.readFully(opened.channel, target, position);
      } catch (ClosedChannelException e) {
        if (Thread.currentThread().isInterrupted() || reopens == MAX_REOPENS) {
          throw e;
        }
        // A user of the channel was interrupted, which closes it for everyone.
        target.position(start);
        files.discard(segment.readFile(), opened);
        OpenFiles.Opened fresh = files.acquire(segment.readFile());
        files.release(opened);
        opened = fresh;
      }
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      files.release(opened);
    }
  }
}
