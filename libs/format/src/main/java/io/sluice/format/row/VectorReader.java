package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of one vector; the class is chosen once per vector. Getters other than those of
 * the vector's type throw INVALID_ARGUMENT; callers have asked {@link #isNull} before.
 */
abstract class VectorReader {
  private final FieldVector vector;

  VectorReader(FieldVector vector) {
    this.vector = vector;
  }

  static VectorReader of(FieldVector vector) {
    return VectorReaders.of(vector);
  }

  final boolean isNull(int row) {
    return vector.isNull(row);
  }

  final String name() {
    return vector.getName();
  }

  /** The value as the object that {@link GenericRow} holds for this type. */
  abstract Object value(int row);

  boolean booleanValue(int row) {
    throw mismatch("getBoolean");
  }

  long longValue(int row) {
    throw mismatch("an integer getter");
  }

  float floatValue(int row) {
    throw mismatch("getFloat");
  }

  double doubleValue(int row) {
    throw mismatch("getDouble");
  }

  String string(int row) {
    throw mismatch("getString");
  }

  byte[] bytes(int row) {
    throw mismatch("getBytes");
  }

  BigDecimal decimal(int row) {
    throw mismatch("getDecimal");
  }

  LocalDate date(int row) {
    throw mismatch("getDate");
  }

  LocalTime time(int row) {
    throw mismatch("getTime");
  }

  LocalDateTime timestamp(int row) {
    throw mismatch("getTimestamp");
  }

  Instant instant(int row) {
    throw mismatch("getInstant");
  }

  List<@Nullable Object> array(int row) {
    throw mismatch("getArray");
  }

  Map<Object, @Nullable Object> map(int row) {
    throw mismatch("getMap");
  }

  Row row(int row) {
    throw mismatch("getRow");
  }

  SluiceException mismatch(String getter) {
    return new SluiceException(
        ErrorCode.INVALID_ARGUMENT,
        "Column '"
            + name()
            + "' has Arrow type "
            + vector.getField().getType()
            + ", which "
            + getter
            + " does not read");
  }
}
