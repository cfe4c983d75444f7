package io.sluice.tablet.kv.merge;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.merge.AggFunction;
import io.sluice.format.row.Row;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** Sum and product. */
final class ArithmeticFunctions {
  private ArithmeticFunctions() {}

  /** The function of a column whose aggregate is SUM or PRODUCT. */
  static ColumnFunction of(MergedColumn column) {
    boolean product = column.aggregate().function() == AggFunction.PRODUCT;
    DataType type = column.column().type();
    if (type instanceof IntegerType) {
      return new OfIntegers(column, product);
    }
    if (type instanceof DecimalType) {
      return new OfDecimals(column, product);
    }
    if (type instanceof FloatType) {
      return new OfFloats(column.position(), product);
    }
    if (type instanceof DoubleType) {
      return new OfDoubles(column.position(), product);
    }
    throw new SluiceException(ErrorCode.INTERNAL, "There is no arithmetic in " + column.name());
  }

  private static final class OfIntegers extends NullIgnoringFunction {
    private final IntegerRange range;
    private final boolean product;

    OfIntegers(MergedColumn column, boolean product) {
      super(column.position());
      this.range = new IntegerRange(column);
      this.product = product;
    }

    @Override
    Row combine(Row before, Row put, OwnValues own) {
      long old = before.getLong(column);
      long given = put.getLong(column);
      long result = product ? range.product(old, given) : range.sum(old, given);
      return range.choose(before, old, result, own);
    }
  }

  /**
   * Exact, then for products rounded to the scale of the column, halves away from zero. {@code min}
   * and {@code max} are the ends of the range.
   */
  private static final class OfDecimals extends NullIgnoringFunction {
    private final MergedColumn context;
    private final boolean product;
    private final int precision;
    private final int scale;
    private final BigDecimal max;

    OfDecimals(MergedColumn column, boolean product) {
      super(column.position());
      DecimalType type = (DecimalType) column.column().type();
      this.context = column;
      this.product = product;
      this.precision = type.precision();
      this.scale = type.scale();
      this.max =
          new BigDecimal(BigInteger.TEN.pow(precision).subtract(BigInteger.ONE), type.scale());
    }

    @Override
    Row combine(Row before, Row put, OwnValues own) {
      BigDecimal old = before.getDecimal(column);
      BigDecimal given = put.getDecimal(column);
      BigDecimal result = product ? old.multiply(given) : old.add(given);
      if (result.scale() != scale) {
        result = result.setScale(scale, RoundingMode.HALF_UP);
      }
      if (result.precision() > precision) {
        if (!context.saturates()) {
          throw context.overflow(old.toPlainString(), given.toPlainString());
        }
        result = result.signum() < 0 ? max.negate() : max;
      }
      return result.equals(old) ? before : own.setObject(column, result);
    }
  }

  /** IEEE 754; NaN is always the same NaN. */
  private static final class OfFloats extends NullIgnoringFunction {
    private final boolean product;

    OfFloats(int column, boolean product) {
      super(column);
      this.product = product;
    }

    @Override
    Row combine(Row before, Row put, OwnValues own) {
      float old = before.getFloat(column);
      float given = put.getFloat(column);
      float result = product ? old * given : old + given;
      return Float.compare(result, old) == 0
          ? before
          : own.setLong(column, Float.floatToIntBits(result));
    }
  }

  /** IEEE 754; NaN is always the same NaN. */
  private static final class OfDoubles extends NullIgnoringFunction {
    private final boolean product;

    OfDoubles(int column, boolean product) {
      super(column);
      this.product = product;
    }

    @Override
    Row combine(Row before, Row put, OwnValues own) {
      double old = before.getDouble(column);
      double given = put.getDouble(column);
      double result = product ? old * given : old + given;
      return Double.compare(result, old) == 0
          ? before
          : own.setLong(column, Double.doubleToLongBits(result));
    }
  }
}
