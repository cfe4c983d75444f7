package io.sluice.tablet.replica;

import io.sluice.common.SluiceException;

/** Receives the one answer to a put. What it throws is logged and changes nothing. */
public interface AppendCallback {
  /**
   * The put is stored (or was before).
   *
   * @param baseOffset offset of its first row, -1 for a duplicate whose place is not known
   * @param duplicate whether the rows were stored by an earlier put
   * @param leaderEpoch epoch under which it was answered
   */
  void stored(long baseOffset, boolean duplicate, int leaderEpoch);

  /** The put is refused; nothing of it was stored unless the code says the outcome is unknown. */
  void refused(SluiceException why);
}
