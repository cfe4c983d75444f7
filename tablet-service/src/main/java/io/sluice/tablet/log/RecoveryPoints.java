package io.sluice.tablet.log;

import java.util.function.LongSupplier;

/** Where the recovery point of a log is saved. */
@FunctionalInterface
interface RecoveryPoints {
  /** For a log whose recovery point is not saved anywhere. */
  RecoveryPoints NONE = (offset, forced) -> {};

  /**
   * Forces that the saved recovery point is not above an offset, before the log is changed there: a
   * later recovery would take what is stored anew for damage. From now on none is saved that is
   * above what the log says to be forced, whoever may have asked it before.
   *
   * @param forced tells what is forced; called on any thread, holds no lock
   * @throws io.sluice.common.SluiceException STORAGE_ERROR when it cannot be saved
   */
  void lower(long offset, LongSupplier forced);
}
