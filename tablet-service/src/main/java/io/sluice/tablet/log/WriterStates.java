package io.sluice.tablet.log;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * What a log knows of those who write to it, so that a put sent twice is stored once. Sequences
 * count input rows per writer and bucket. Owned by the thread that owns the log.
 */
final class WriterStates {
  private static final int HEAD = 16;
  private static final int ENTRY = 48;

  private final Map<Long, State> writers = new HashMap<>();

  /** One writer. */
  private static final class State {
    private int epoch;
    private long lastSequence = -1;
    private long lastBaseSequence = -1;
    private long lastBaseOffset = -1;
    private long lastTimeMs;
  }

  /**
   * What to do with a put. Accepted iff {@code last < base <= max(last, ackedThrough) + 1}, where
   * an unknown writer has last -1.
   *
   * @param header the put's header
   * @param ackedThrough last sequence whose final answer the writer holds
   * @param newestEpoch newest epoch of the writer known elsewhere, 0 for none
   */
  SequenceDecision decide(LogBatchHeader header, long ackedThrough, int newestEpoch) {
    State state = writers.get(header.writerId());
    int newest = Math.max(newestEpoch, state == null ? 0 : state.epoch);
    if (header.writerEpoch() < newest) {
      return new SequenceDecision.Fenced(newest);
    }
    long last = state == null ? -1 : state.lastSequence;
    long base = header.baseSequence();
    if (header.lastSequence() <= last) {
      return new SequenceDecision.Duplicate(
          state != null && base == state.lastBaseSequence ? state.lastBaseOffset : -1);
    }
    if (base <= last) {
      return new SequenceDecision.Overlap((int) (last - base + 1));
    }
    return base <= Math.max(last, ackedThrough) + 1
        ? SequenceDecision.ACCEPT
        : new SequenceDecision.Gap(last);
  }

  /** Takes in a batch that is stored; batches without a writer change nothing. */
  void stored(LogBatchHeader header) {
    if (header.writerId() < 0) {
      return;
    }
    State state = writers.computeIfAbsent(header.writerId(), id -> new State());
    state.epoch = Math.max(state.epoch, header.writerEpoch());
    state.lastSequence = Math.max(state.lastSequence, header.lastSequence());
    state.lastBaseSequence = header.baseSequence();
    state.lastBaseOffset = header.isControl() ? -1 : header.baseOffset();
    state.lastTimeMs = header.appendTimeMs();
  }

  /** The last sequence stored, -1 when none. */
  long lastSequence(long writerId) {
    State state = writers.get(writerId);
    return state == null ? -1 : state.lastSequence;
  }

  /** The newest epoch that stored anything, 0 when none. */
  int epoch(long writerId) {
    State state = writers.get(writerId);
    return state == null ? 0 : state.epoch;
  }

  int size() {
    return writers.size();
  }

  /**
   * Forgets writers that stored nothing since the given time. Those with a name stay: their last
   * sequence is where their source goes on, however late that is.
   */
  void expire(long beforeMs, LongPredicate named) {
    writers
        .entrySet()
        .removeIf(
            entry ->
                entry.getValue().lastTimeMs < beforeMs
                    && entry.getValue().epoch == 0
                    && !named.test(entry.getKey()));
  }

  /** The states as of an offset, as stored. */
  ByteBuffer snapshot(long offset) {
    ByteBuffer payload = CheckedFile.payload(HEAD + ENTRY * writers.size());
    payload.putLong(offset).putInt(writers.size()).putInt(0);
    for (Map.Entry<Long, State> entry : writers.entrySet()) {
      State state = entry.getValue();
      payload.putLong(entry.getKey()).putLong(state.lastSequence).putLong(state.lastBaseSequence);
      payload.putLong(state.lastBaseOffset).putLong(state.lastTimeMs);
      payload.putInt(state.epoch).putInt(0);
    }
    return payload.flip();
  }

  /** The states of a stored snapshot. */
  static WriterStates of(ByteBuffer payload) {
    WriterStates states = new WriterStates();
    payload.getLong();
    int count = payload.getInt();
    payload.getInt();
    for (int i = 0; i < count; i++) {
      State state = new State();
      long id = payload.getLong();
      state.lastSequence = payload.getLong();
      state.lastBaseSequence = payload.getLong();
      state.lastBaseOffset = payload.getLong();
      state.lastTimeMs = payload.getLong();
      state.epoch = payload.getInt();
      payload.getInt();
      states.writers.put(id, state);
    }
    return states;
  }

  /**
   * The states of a snapshot that another server has sent; the buffer is left as it is.
   *
   * @throws SluiceException CORRUPT_BATCH when its length is not that of its entries
   */
  static WriterStates received(ByteBuffer snapshot) {
    ByteBuffer payload = snapshot.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    int bytes = payload.remaining();
    long count = bytes < HEAD ? -1 : payload.getInt(payload.position() + 8);
    if (count < 0 || bytes != HEAD + ENTRY * count) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH,
          "Writer states from the leader have " + bytes + " bytes for " + count + " writers");
    }
    return of(payload);
  }

  /** Only the writers whose last batch lies below an offset, or is not known. */
  WriterStates below(long offset) {
    WriterStates some = new WriterStates();
    writers.forEach(
        (id, state) -> {
          if (state.lastBaseOffset < offset) {
            some.writers.put(id, state);
          }
        });
    return some;
  }

  /** Takes the states of others, who are not used any more. */
  void become(WriterStates others) {
    writers.clear();
    writers.putAll(others.writers);
  }
}
