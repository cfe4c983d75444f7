package io.sluice.format.row;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseFixedWidthVector;

/** One writer class for each way a value of fixed width is stored. */
final class FixedColumnWriters {
  private FixedColumnWriters() {}

  static final class BooleanWriter extends FixedColumnWriter {
    BooleanWriter(ValueRules rules, BaseFixedWidthVector vector) {
      super(rules, vector, 0);
    }

    @Override
    void setBoolean(int row, boolean value) {
      long bits = slot(row);
      if (value) {
        ValidityBits.set(bits, row);
      } else {
        ValidityBits.clear(bits, row);
      }
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setBoolean(row, source.getBoolean(sourceColumn));
    }
  }

  /** TINYINT and SMALLINT. */
  static final class SmallIntegerWriter extends FixedColumnWriter {
    private final boolean oneByte;

    SmallIntegerWriter(ValueRules rules, BaseFixedWidthVector vector, int width) {
      super(rules, vector, width);
      this.oneByte = width == 1;
    }

    @Override
    void setLong(int row, long value) {
      long checked = rules.integer(value);
      if (oneByte) {
        MemoryUtil.putByte(slot(row), (byte) checked);
      } else {
        MemoryUtil.putShort(slot(row), (short) checked);
      }
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setLong(row, source.getLong(sourceColumn));
    }
  }

  static final class IntWriter extends FixedColumnWriter {
    IntWriter(ValueRules rules, BaseFixedWidthVector vector) {
      super(rules, vector, 4);
    }

    @Override
    void setLong(int row, long value) {
      MemoryUtil.putInt(slot(row), (int) rules.integer(value));
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setLong(row, source.getLong(sourceColumn));
    }
  }

  static final class LongWriter extends FixedColumnWriter {
    LongWriter(ValueRules rules, BaseFixedWidthVector vector) {
      super(rules, vector, 8);
    }

    @Override
    void setLong(int row, long value) {
      MemoryUtil.putLong(slot(row), value);
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setLong(row, source.getLong(sourceColumn));
    }
  }

  static final class FloatWriter extends FixedColumnWriter {
    FloatWriter(ValueRules rules, BaseFixedWidthVector vector) {
      super(rules, vector, 4);
    }

    @Override
    void setFloat(int row, float value) {
      MemoryUtil.putInt(slot(row), Float.floatToRawIntBits(value));
    }

    @Override
    void setDouble(int row, double value) {
      setFloat(row, rules.single(value));
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setFloat(row, source.getFloat(sourceColumn));
    }
  }

  static final class DoubleWriter extends FixedColumnWriter {
    DoubleWriter(ValueRules rules, BaseFixedWidthVector vector) {
      super(rules, vector, 8);
    }

    @Override
    void setFloat(int row, float value) {
      setDouble(row, value);
    }

    @Override
    void setDouble(int row, double value) {
      MemoryUtil.putLong(slot(row), Double.doubleToRawLongBits(value));
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setDouble(row, source.getDouble(sourceColumn));
    }
  }

  static final class DecimalWriter extends FixedColumnWriter {
    DecimalWriter(ValueRules rules, BaseFixedWidthVector vector) {
      super(rules, vector, 16);
    }

    @Override
    void setDecimal(int row, BigDecimal value) {
      BigInteger unscaled = rules.unscaled(value);
      long low = unscaled.longValue();
      long high = unscaled.bitLength() < 64 ? low >> 63 : unscaled.shiftRight(64).longValue();
      long slot = slot(row);
      MemoryUtil.putLong(slot, low);
      MemoryUtil.putLong(slot + 8, high);
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setDecimal(row, source.getDecimal(sourceColumn));
    }
  }

  static final class DateWriter extends FixedColumnWriter {
    DateWriter(ValueRules rules, BaseFixedWidthVector vector) {
      super(rules, vector, 4);
    }

    @Override
    void setDate(int row, LocalDate value) {
      MemoryUtil.putInt(slot(row), rules.date(value));
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setDate(row, source.getDate(sourceColumn));
    }
  }

  static final class TimeWriter extends FixedColumnWriter {
    private final boolean wide;

    TimeWriter(ValueRules rules, BaseFixedWidthVector vector, int width) {
      super(rules, vector, width);
      this.wide = width == 8;
    }

    @Override
    void setTime(int row, LocalTime value) {
      long units = rules.time(value);
      if (wide) {
        MemoryUtil.putLong(slot(row), units);
      } else {
        MemoryUtil.putInt(slot(row), (int) units);
      }
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setTime(row, source.getTime(sourceColumn));
    }
  }

  static final class TimestampWriter extends FixedColumnWriter {
    TimestampWriter(ValueRules rules, BaseFixedWidthVector vector) {
      super(rules, vector, 8);
    }

    @Override
    void setTimestamp(int row, LocalDateTime value) {
      MemoryUtil.putLong(slot(row), rules.timestamp(value));
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setTimestamp(row, source.getTimestamp(sourceColumn));
    }
  }

  static final class InstantWriter extends FixedColumnWriter {
    InstantWriter(ValueRules rules, BaseFixedWidthVector vector) {
      super(rules, vector, 8);
    }

    @Override
    void setInstant(int row, Instant value) {
      MemoryUtil.putLong(slot(row), rules.instant(value));
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setInstant(row, source.getInstant(sourceColumn));
    }
  }

  static final class BinaryWriter extends FixedColumnWriter {
    BinaryWriter(ValueRules rules, BaseFixedWidthVector vector, int width) {
      super(rules, vector, width);
    }

    @Override
    void setBytes(int row, byte[] value) {
      rules.fixedBytes(value);
      MemoryUtil.copyToMemory(value, 0, slot(row), value.length);
    }

    @Override
    void putFrom(int row, Row source, int sourceColumn) {
      setBytes(row, source.getBytes(sourceColumn));
    }
  }
}
