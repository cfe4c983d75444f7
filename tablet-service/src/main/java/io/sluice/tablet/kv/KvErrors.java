package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** What a failure of RocksDB means to our callers. */
final class KvErrors {
  private static final String MISSING = "No such file or directory";

  private KvErrors() {}

  /**
   * The failure to throw.
   *
   * @param what the deed that failed, for example {@code "Read 3 keys of"}
   * @param store name of the store
   */
  static SluiceException failed(String what, String store, RocksDBException cause) {
    return new SluiceException(
        code(cause.getStatus()), what + " " + store + " failed: " + cause.getMessage(), cause);
  }

  /**
   * The failure to throw when a store does not open: that a file which another one names is not
   * there is damage.
   */
  static SluiceException openFailed(String store, RocksDBException cause) {
    String message = String.valueOf(cause.getMessage());
    if (code(cause.getStatus()) == ErrorCode.STORAGE_ERROR && message.contains(MISSING)) {
      return new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          "Open " + store + " failed: a file is lost: " + message,
          cause);
    }
    return failed("Open", store, cause);
  }

  /** Whether a read that may use memory only would have needed a file. */
  static boolean isNotInMemory(RocksDBException cause) {
    Status status = cause.getStatus();
    return status != null && status.getCode() == Status.Code.Incomplete;
  }

  private static ErrorCode code(@Nullable Status status) {
    if (status == null || status.getCode() == null) {
      return ErrorCode.STORAGE_ERROR;
    }
    if (status.getSubCode() == Status.SubCode.NoSpace) {
      return ErrorCode.DISK_FULL;
    }
    return switch (status.getCode()) {
      // A write that would have had to wait: no_slowdown is set.
      case Incomplete, Busy, TryAgain, TimedOut -> ErrorCode.BACKPRESSURE;
      case Corruption -> ErrorCode.CORRUPT_STORAGE;
      case ShutdownInProgress, Aborted -> ErrorCode.UNAVAILABLE;
      default -> ErrorCode.STORAGE_ERROR;
    };
  }
}
