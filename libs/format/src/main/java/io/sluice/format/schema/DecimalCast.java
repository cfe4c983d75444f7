package io.sluice.format.schema;

import io.sluice.format.schema.DataType.DecimalType;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.util.DecimalUtility;

/** Casts decimals of any width, precision and scale, when the value is exact in the column. */
final class DecimalCast extends SafeCast {
  private static final int WIDTH = 16;
  private static final int LONG_DIGITS = 18;

  private final DecimalType type;
  private final int fromScale;
  private final int fromWidth;
  private final long longLimit;
  private final BigInteger limit;

  DecimalCast(CastContext context, DecimalType type) {
    super(context);
    ArrowType.Decimal from = (ArrowType.Decimal) context.source().getType();
    this.type = type;
    this.fromScale = from.getScale();
    this.fromWidth = from.getBitWidth() / 8;
    this.limit = BigInteger.TEN.pow(type.precision());
    this.longLimit = BigInteger.TEN.pow(Math.min(LONG_DIGITS, type.precision())).longValueExact();
  }

  @Override
  void copyValues(FieldVector source, FieldVector target, int rows, long firstRow) {
    DecimalVector to = (DecimalVector) target;
    ((BaseFixedWidthVector) to).allocateNew(rows);
    to.zeroVector();
    copyValidity(source, target, rows);
    ArrowBuf from = source.getDataBuffer();
    boolean sameForm = fromScale == type.scale() && fromWidth == WIDTH;
    for (int row = 0; row < rows; row++) {
      if (source.isNull(row)) {
        continue;
      }
      long at = (long) row * WIDTH;
      if (sameForm && isSmall(from.getLong(at), from.getLong(at + 8))) {
        to.getDataBuffer().setLong(at, from.getLong(at));
        to.getDataBuffer().setLong(at + 8, from.getLong(at + 8));
      } else {
        BigDecimal value =
            DecimalUtility.getBigDecimalFromArrowBuf(from, row, fromScale, fromWidth);
        write(to.getDataBuffer(), at, converted(value, firstRow + row));
      }
    }
    target.setValueCount(rows);
  }

  private boolean isSmall(long low, long high) {
    return high == low >> 63 && low < longLimit && low > -longLimit;
  }

  private BigInteger converted(BigDecimal value, long row) {
    BigDecimal scaled = value;
    if (value.scale() != type.scale()) {
      scaled = value.stripTrailingZeros();
      if (scaled.scale() > type.scale()) {
        throw context.refused(
            row,
            value.toString(),
            "it has more than "
                + type.scale()
                + " digits after the point; round it before the upload");
      }
      scaled = scaled.setScale(type.scale());
    }
    BigInteger unscaled = scaled.unscaledValue();
    if (unscaled.abs().compareTo(limit) >= 0) {
      throw context.refused(
          row,
          value.toString(),
          "it has more than "
              + (type.precision() - type.scale())
              + " digits before the point; use a larger precision");
    }
    return unscaled;
  }

  private static void write(ArrowBuf data, long at, BigInteger unscaled) {
    data.setLong(at, unscaled.longValue());
    data.setLong(at + 8, unscaled.shiftRight(64).longValue());
  }
}
