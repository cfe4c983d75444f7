package io.sluice.format.schema;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import org.apache.arrow.vector.types.pojo.Field;

/** Which column a cast fills from which Arrow field, and how its refusals are worded. */
record CastContext(Column column, Field source) {

  /** INVALID_VALUE naming column, row, value, the type and a way out. */
  SluiceException refused(long row, Object value, String why) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Column '"
            + column.name()
            + "' ("
            + column.type()
            + ") cannot hold "
            + value
            + " of row "
            + row
            + " ("
            + source.getType()
            + "): "
            + why);
  }

  /** INVALID_VALUE for a NULL in a NOT NULL column. */
  SluiceException nullRefused(long row) {
    return new SluiceException(
        ErrorCode.INVALID_VALUE,
        "Column '"
            + column.name()
            + "' ("
            + column.type()
            + ") is NOT NULL and row "
            + row
            + " has NULL there; give it a value");
  }

  /** INVALID_SCHEMA for a pair of types that has no lossless cast at all. */
  SluiceException impossible(String wayOut) {
    return new SluiceException(
        ErrorCode.INVALID_SCHEMA,
        "Column '"
            + column.name()
            + "' ("
            + column.type()
            + ") takes no values of Arrow type "
            + source.getType()
            + "; "
            + wayOut);
  }

  /** CORRUPT_BATCH for a vector whose buffers contradict each other. */
  SluiceException corrupt(long row, String what) {
    return new SluiceException(
        ErrorCode.CORRUPT_BATCH,
        "Column '" + column.name() + "' is damaged in row " + row + ": " + what);
  }
}
