package io.sluice.bench.harness;

/** Writes rows of a {@link RowRing} under keys. Used by one thread. */
public interface KeyedWriter extends AutoCloseable {
  /** Hands the row with this key and the values of the ring's row with this number on. */
  void upsert(long key, long number) throws Exception;

  /** Returns when everything written before is answered, whatever the answers are. */
  void flush() throws Exception;

  /** How many of the writes that are answered failed. */
  long failed();

  @Override
  void close() throws Exception;
}
