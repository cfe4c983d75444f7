package io.sluice.tablet.kv;

/**
 * A {@link KvScan} that does not show expired rows: those of the moment it was opened. Whoever
 * opened it closes it.
 */
public final class RowScan implements AutoCloseable {
  private final KvScan scan;
  private final long expiredUpTo;
  private byte[] value = {};

  RowScan(KvScan scan, long expiredUpTo) {
    this.scan = scan;
    this.expiredUpTo = expiredUpTo;
  }

  /** The rows are the fold of the changelog below its applied offset. */
  public KvPosition position() {
    return scan.position();
  }

  /** Moves to the first or the next row; false behind the last, and ever after. */
  public boolean next() {
    while (scan.next()) {
      byte[] found = scan.value();
      if (!RowsView.expired(found, expiredUpTo)) {
        value = found;
        return true;
      }
    }
    return false;
  }

  /** Key of the row shown now. */
  public byte[] key() {
    return scan.key();
  }

  /** Encoded value of the row shown now. */
  public byte[] value() {
    return value;
  }

  @Override
  public void close() {
    scan.close();
  }
}
