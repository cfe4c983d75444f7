package io.sluice.client.fake;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.protocol.flight.v1.PutMetadata;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One bucket's log with the rules of idempotent writers. Guarded by its monitor. */
public final class FakeBucket {
  /** A stored batch. */
  public record Stored(
      long baseOffset,
      int rows,
      int wireBytes,
      byte[] metadata,
      byte[] body,
      LogBatchHeader header) {
    public long nextOffset() {
      return baseOffset + rows;
    }
  }

  /** The outcome of a put. */
  public record Outcome(long baseOffset, int rows, boolean duplicate) {}

  private final List<Stored> log = new ArrayList<>();
  private final Map<Long, Long> lastSequences = new HashMap<>();
  private final Map<Long, Integer> epochs = new HashMap<>();
  private final List<Runnable> listeners = new ArrayList<>();
  private long end;
  private volatile int leader;
  private volatile int leaderEpoch = 1;

  FakeBucket(int leader) {
    this.leader = leader;
  }

  public int leader() {
    return leader;
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  /** Elects another tablet. */
  public void moveTo(int tablet) {
    leader = tablet;
    leaderEpoch++;
  }

  /** What is stored. */
  public synchronized List<Stored> log() {
    return List.copyOf(log);
  }

  public synchronized long end() {
    return end;
  }

  /** Forgets what writers have stored, as a server does when they were idle for long. */
  public synchronized void forgetWriters() {
    lastSequences.clear();
  }

  synchronized void addListener(Runnable listener) {
    listeners.add(listener);
  }

  synchronized long lastSequence(long writer, int epoch) {
    fence(writer, epoch);
    return lastSequences.getOrDefault(writer, -1L);
  }

  private void fence(long writer, int epoch) {
    int known = epochs.getOrDefault(writer, 0);
    if (epoch < known) {
      throw new SluiceException(
          ErrorCode.FENCED_WRITER, "Writer " + writer + " epoch " + epoch + " < " + known);
    }
    epochs.put(writer, epoch);
  }

  Outcome append(PutMetadata put, ByteBuffer metadata, byte[] body) {
    List<Runnable> told;
    Outcome outcome;
    synchronized (this) {
      outcome = store(put, metadata, body);
      told = List.copyOf(listeners);
    }
    told.forEach(Runnable::run);
    return outcome;
  }

  private Outcome store(PutMetadata put, ByteBuffer metadata, byte[] body) {
    LogBatchHeader header = LogBatchHeader.wrap(ByteBuffer.wrap(put.getHeader().toByteArray()));
    header.checkShape();
    int crc =
        header.computeContentCrc(
            put.getChangeTypes().asReadOnlyByteBuffer(),
            put.getStatistics().asReadOnlyByteBuffer(),
            metadata.duplicate(),
            put.getChecksums().asReadOnlyByteBuffer());
    if (crc != header.contentCrc()) {
      throw new SluiceException(ErrorCode.CORRUPT_BATCH, "content_crc is wrong");
    }
    long writer = header.writerId();
    fence(writer, header.writerEpoch());
    long last = lastSequences.getOrDefault(writer, -1L);
    if (header.lastSequence() <= last) {
      return new Outcome(-1, header.recordCount(), true);
    }
    if (header.baseSequence() <= last
        || header.baseSequence() > Math.max(last, put.getAckedThrough()) + 1) {
      throw new SluiceException(
          ErrorCode.OUT_OF_ORDER_SEQUENCE,
          "Base " + header.baseSequence() + ", last " + last + ", acked " + put.getAckedThrough());
    }
    lastSequences.put(writer, header.lastSequence());
    long base = end;
    byte[] metadataBytes = new byte[metadata.remaining()];
    metadata.duplicate().get(metadataBytes);
    log.add(new Stored(base, header.recordCount(), header.length(), metadataBytes, body, header));
    end += header.recordCount();
    return new Outcome(base, header.recordCount(), false);
  }
}
