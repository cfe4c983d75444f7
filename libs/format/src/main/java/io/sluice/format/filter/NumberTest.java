package io.sluice.format.filter;

import io.sluice.format.batch.BatchStatistics;
import io.sluice.format.row.Temporals;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.DataType.DecimalType;
import java.math.BigInteger;
import org.apache.arrow.vector.FieldVector;
import org.jspecify.annotations.Nullable;

/** The value is in a set, for all scalar types but text and bytes. */
final class NumberTest implements ColumnTest {
  private final ColumnField field;
  private final Intervals<BigInteger> values;
  private final @Nullable LongSet longs;
  private final @Nullable DecimalSet decimals;

  NumberTest(ColumnField field, Intervals<BigInteger> values) {
    this.field = field;
    this.values = values;
    boolean decimal = field.type() instanceof DecimalType;
    this.longs = decimal ? null : new LongSet(values);
    this.decimals = decimal ? new DecimalSet(values) : null;
  }

  @Override
  public ColumnField field() {
    return field;
  }

  @Override
  public void select(FieldVector column, int rows, long[] words) {
    FieldVector vector = field.vector(column);
    if (longs != null) {
      longs.select(vector, rows, words);
    } else if (decimals != null) {
      decimals.select(vector, rows, words);
    }
    field.keepPresent(column, rows, words);
  }

  @Override
  public boolean mayMatch(BatchStatistics entry, int rows, DataType stored) {
    if (entry.nullCount() >= rows) {
      return false;
    }
    return switch (entry.kind()) {
      case INTEGER -> {
        BigInteger factor = unitsFactor(stored);
        yield factor == null
            || values.overlaps(
                entry.hasMin() ? BigInteger.valueOf(entry.minLong()).multiply(factor) : null,
                entry.hasMax() ? BigInteger.valueOf(entry.maxLong()).multiply(factor) : null);
      }
      case FLOATING ->
          (entry.hasNan() && values.contains(BigInteger.valueOf(FloatingOrder.NAN)))
              || values.overlaps(
                  entry.hasMin() ? key(entry.minDouble()) : null,
                  entry.hasMax() ? key(entry.maxDouble()) : null);
      case DECIMAL ->
          !sameScale(stored)
              || values.overlaps(
                  entry.hasMin() ? entry.minUnscaled() : null,
                  entry.hasMax() ? entry.maxUnscaled() : null);
      case BYTES -> true;
    };
  }

  private static BigInteger key(double bound) {
    return BigInteger.valueOf(FloatingOrder.key(bound));
  }

  /** Units of the column in one stored unit; null when that is no whole number. */
  private @Nullable BigInteger unitsFactor(DataType stored) {
    long wanted = Temporals.unitsPerSecond(field.type());
    long found = Temporals.unitsPerSecond(stored);
    return wanted % found == 0 ? BigInteger.valueOf(wanted / found) : null;
  }

  private boolean sameScale(DataType stored) {
    return stored instanceof DecimalType then
        && field.type() instanceof DecimalType now
        && then.scale() == now.scale();
  }

  @Override
  public boolean isTrueFor(@Nullable String canonical) {
    if (canonical == null) {
      return false;
    }
    Literal literal = LiteralCast.canonical(field.type(), canonical);
    Point<BigInteger> point = literal == null ? null : LiteralCast.number(field.type(), literal);
    // What cannot be read rules nothing out.
    return point == null || values.contains(point.floor());
  }
}
