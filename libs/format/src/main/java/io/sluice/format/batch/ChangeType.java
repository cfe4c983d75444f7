package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;

/** What a record does to the row it names. Codes are bytes of the change type section. */
public enum ChangeType {
  /** A row of a log table. Batches without a change type section hold only these. */
  APPEND(0, "+A"),
  /** A row with a new key. */
  INSERT(1, "+I"),
  /** The row as it was before an update. */
  UPDATE_BEFORE(2, "-U"),
  /** The row as it is after an update. */
  UPDATE_AFTER(3, "+U"),
  /** The row as it was before it was deleted. */
  DELETE(4, "-D");

  private static final ChangeType[] BY_CODE = values();

  private final int code;
  private final String shortText;

  ChangeType(int code, String shortText) {
    this.code = code;
    this.shortText = shortText;
  }

  /** The byte in the change type section. */
  public byte code() {
    return (byte) code;
  }

  /** The two characters shown to users, for example {@code +I}. */
  public String shortText() {
    return shortText;
  }

  /** Whether a record with that code can exist. */
  static boolean isKnown(byte code) {
    return code >= 0 && code < BY_CODE.length;
  }

  /** The change type of that code; CORRUPT_BATCH when there is none. */
  public static ChangeType of(byte code) {
    if (!isKnown(code)) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BATCH, "Change type is " + code + "; it must be between 0 and 4");
    }
    return BY_CODE[code];
  }
}
