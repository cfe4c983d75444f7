package io.sluice.tablet.flight;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.kv.RowsView;
import io.sluice.tablet.replica.AppendCallback;
import io.sluice.tablet.replica.AppendRequest;
import io.sluice.tablet.replica.BatchCursor;
import io.sluice.tablet.replica.HostedTable;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaOffsets;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A replica in memory: stores batches as bytes, keeps writer sequences, can be told to misbehave.
 */
final class FakeReplica implements Replica {
  private record Stored(byte[] bytes, long base, long next) {}

  private record Writer(int epoch, long last) {}

  /** What may be held back: the answer of a put. */
  interface Answer {
    void give();
  }

  private volatile HostedTable table;
  private final TableBucket bucket;
  private final List<Stored> batches = new ArrayList<>();
  private final Map<Long, Writer> writers = new HashMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final Deque<Answer> held = new ArrayDeque<>();
  private final Queue<SluiceException> refusals = new ArrayDeque<>();
  private long logEnd;
  private long nowMs = 1_000;
  private boolean holding;
  private @Nullable SluiceException notLeading;
  private @Nullable String corruption;
  private int openCursors;
  private long bytesRead;
  private String lastReader = "";

  FakeReplica(HostedTable table, TableBucket bucket) {
    this.table = table;
    this.bucket = bucket;
  }

  /** Takes over a newer description of the table. */
  void table(HostedTable newer) {
    table = newer;
  }

  /** Appends a batch as its leader would, without a put. */
  void store(EncodedBatch batch) {
    synchronized (this) {
      LogBatchHeader header = batch.header();
      header.stamp(logEnd, 1, nowMs);
      ByteBuffer bytes = ByteBuffer.allocate(header.length());
      bytes.put(header.bytes());
      batch.sections().forEach(section -> bytes.put(section.duplicate()));
      batches.add(new Stored(bytes.array(), logEnd, logEnd + header.offsetCount()));
      logEnd += header.offsetCount();
    }
    notifyListeners();
  }

  /** From now on answers wait for {@link #release}. */
  synchronized void hold() {
    holding = true;
  }

  void release() {
    List<Answer> answers;
    synchronized (this) {
      holding = false;
      answers = new ArrayList<>(held);
      held.clear();
    }
    answers.forEach(Answer::give);
  }

  synchronized int held() {
    return held.size();
  }

  /** The next put is refused with this. */
  synchronized void refuseNext(SluiceException why) {
    refusals.add(why);
  }

  /** Stops leading with that failure, or leads again with null. */
  void leadership(@Nullable SluiceException failure) {
    synchronized (this) {
      notLeading = failure;
    }
    notifyListeners();
  }

  synchronized void setTimeMs(long timeMs) {
    nowMs = timeMs;
  }

  /** Flips a byte of a stored body. */
  /** Flips a bit of a stored batch, so many bytes after the start of its body. */
  synchronized void damage(int batch, int positionInBody) {
    byte[] bytes = batches.get(batch).bytes();
    LogBatchHeader header = LogBatchHeader.wrap(ByteBuffer.wrap(bytes));
    bytes[LogBatchHeader.SIZE + header.sectionsLength() + positionInBody] ^= 1;
  }

  synchronized @Nullable String corruption() {
    return corruption;
  }

  synchronized int batchCount() {
    return batches.size();
  }

  synchronized LogBatchHeader storedHeader(int batch) {
    return LogBatchHeader.wrap(ByteBuffer.wrap(batches.get(batch).bytes()));
  }

  int listenerCount() {
    return listeners.size();
  }

  synchronized int openCursors() {
    return openCursors;
  }

  /** Bytes that cursors have read. */
  synchronized long bytesRead() {
    return bytesRead;
  }

  /** Name of the thread that read last. */
  synchronized String lastReader() {
    return lastReader;
  }

  @Override
  public TableBucket bucket() {
    return bucket;
  }

  @Override
  public HostedTable table() {
    return table;
  }

  @Override
  public synchronized int requireLeader() {
    if (notLeading != null) {
      throw notLeading;
    }
    return 1;
  }

  @Override
  public synchronized ReplicaOffsets offsets() {
    return new ReplicaOffsets(0, 0, logEnd, logEnd, logEnd, logEnd, ReplicaOffsets.UNKNOWN_ROWS);
  }

  @Override
  public synchronized long sizeBytes() {
    return batches.stream().mapToLong(each -> each.bytes().length).sum();
  }

  @Override
  public void append(AppendRequest request, AppendCallback callback) {
    Answer answer;
    synchronized (this) {
      SluiceException refusal = refusals.poll();
      answer = refusal == null ? store(request, callback) : () -> callback.refused(refusal);
      if (holding) {
        held.add(answer);
        return;
      }
    }
    answer.give();
    notifyListeners();
  }

  private Answer store(AppendRequest request, AppendCallback callback) {
    LogBatchHeader header = request.header();
    if (header.writerId() >= 0) {
      Writer known = writers.getOrDefault(header.writerId(), new Writer(0, -1));
      if (header.writerEpoch() < known.epoch()) {
        return () -> callback.refused(new SluiceException(ErrorCode.FENCED_WRITER, "old epoch"));
      }
      if (header.lastSequence() <= known.last()) {
        return () -> callback.stored(-1, true, 1);
      }
      if (header.baseSequence() <= known.last()
          || header.baseSequence() > Math.max(known.last(), request.ackedThrough()) + 1) {
        return () ->
            callback.refused(
                new SluiceException(
                    ErrorCode.OUT_OF_ORDER_SEQUENCE,
                    "base " + header.baseSequence() + " after " + known.last()));
      }
      writers.put(header.writerId(), new Writer(header.writerEpoch(), header.lastSequence()));
    }
    long base = logEnd;
    header.stamp(base, 1, nowMs);
    ByteBuffer bytes = ByteBuffer.allocate(header.length());
    bytes.put(header.bytes());
    request.sections().forEach(section -> bytes.put(section.duplicate()));
    batches.add(new Stored(bytes.array(), base, base + header.offsetCount()));
    logEnd = base + header.offsetCount();
    return () -> callback.stored(base, false, 1);
  }

  @Override
  public synchronized long writerSequence(long writerId, int writerEpoch) {
    Writer known = writers.getOrDefault(writerId, new Writer(0, -1));
    writers.put(writerId, new Writer(Math.max(known.epoch(), writerEpoch), known.last()));
    return known.last();
  }

  @Override
  public synchronized long offsetForTime(long epochMs) {
    for (Stored each : batches) {
      if (LogBatchHeader.wrap(ByteBuffer.wrap(each.bytes())).appendTimeMs() >= epochMs) {
        return each.base();
      }
    }
    return logEnd;
  }

  @Override
  public synchronized BatchCursor openCursor(long startOffset) {
    openCursors++;
    int first = 0;
    while (first < batches.size() && batches.get(first).next() <= startOffset) {
      first++;
    }
    return new Cursor(first - 1);
  }

  @Override
  public void insertMissing(List<byte[]> encodedKeys, AppendCallback callback) {
    callback.refused(
        new SluiceException(
            ErrorCode.UNSUPPORTED, "Table " + table.path() + " is a log table; append to it"));
  }

  @Override
  public RowsView requireRows() {
    throw new SluiceException(
        ErrorCode.UNSUPPORTED, "Table " + table.path() + " is a log table; scan it instead");
  }

  @Override
  public void addListener(Runnable listener) {
    listeners.add(listener);
  }

  @Override
  public void removeListener(Runnable listener) {
    listeners.remove(listener);
  }

  void notifyListeners() {
    listeners.forEach(Runnable::run);
  }

  private final class Cursor implements BatchCursor {
    private int at;
    private boolean closed;

    Cursor(int at) {
      this.at = at;
    }

    @Override
    public boolean next(long endOffset) {
      synchronized (FakeReplica.this) {
        if (at + 1 >= batches.size() || batches.get(at + 1).next() > endOffset) {
          return false;
        }
        at++;
        return true;
      }
    }

    @Override
    public LogBatchHeader header() {
      return storedHeader(at);
    }

    @Override
    public void read(int position, ByteBuffer target) {
      synchronized (FakeReplica.this) {
        bytesRead += target.remaining();
        lastReader = Thread.currentThread().getName();
        target.put(batches.get(at).bytes(), position, target.remaining());
      }
    }

    @Override
    public SluiceException reportCorruption(int position, String expected, String found) {
      synchronized (FakeReplica.this) {
        corruption = "memory, batch " + at + ": expected " + expected + ", found " + found;
        return new SluiceException(ErrorCode.CORRUPT_STORAGE, corruption);
      }
    }

    @Override
    public void close() {
      synchronized (FakeReplica.this) {
        if (!closed) {
          closed = true;
          openCursors--;
        }
      }
    }
  }
}
