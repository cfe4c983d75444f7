package io.sluice.systemtests.simulation;

/**
 * Some records of a log. The same object on every replica: copies are equal by identity.
 *
 * @param base offset of the first record
 * @param count how many records
 * @param epoch leader epoch in which it was appended
 * @param writer who wrote it, {@link #NO_WRITER} for a control batch
 * @param firstSequence sequence of its first record
 * @param key key that it sets, as a put to a primary-key table
 * @param at when it was appended
 */
record Batch(long base, int count, int epoch, int writer, long firstSequence, int key, long at) {
  static final int NO_WRITER = -1;

  long end() {
    return base + count;
  }

  long lastSequence() {
    return firstSequence + count - 1;
  }

  @Override
  public String toString() {
    return "["
        + base
        + ","
        + end()
        + ")e"
        + epoch
        + (writer == NO_WRITER
            ? " control"
            : " w" + writer + ":" + firstSequence + "-" + lastSequence() + " k" + key);
  }
}
