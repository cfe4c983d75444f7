package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.DataType.BytesType;
import java.nio.charset.StandardCharsets;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseVariableWidthVector;

/** Writes text as UTF-8, and bytes. A value starts where the one before it ends. */
final class VariableColumnWriter extends ColumnWriter {
  private static final int MAX_DATA = 1 << 30;
  private static final int EXPECTED_VALUE_BYTES = 16;
  private static final int MAX_UTF8_PER_CHAR = 3;

  /** Characters from which on the platform's encoder, which needs an array, beats our loop. */
  private static final int LONG_TEXT = 32;

  private final BaseVariableWidthVector vector;
  private final boolean text;
  private int capacity;
  private long validity;
  private long offsets;
  private long data;
  private long dataCapacity;
  private long finishedBytes;

  VariableColumnWriter(ValueRules rules, BaseVariableWidthVector vector) {
    super(rules);
    this.vector = vector;
    this.text = !(rules.column().type() instanceof BytesType);
  }

  @Override
  void bind(int expectedRows) {
    writtenRow = -1;
    if (vector.getValueCapacity() == 0 || vector.getDataBuffer().capacity() == 0) {
      vector.allocateNew((long) expectedRows * EXPECTED_VALUE_BYTES, expectedRows);
    }
    takeAddresses();
    MemoryUtil.putInt(offsets, 0);
  }

  private void takeAddresses() {
    capacity = vector.getValueCapacity();
    validity = vector.getValidityBufferAddress();
    offsets = vector.getOffsetBufferAddress();
    data = vector.getDataBufferAddress();
    dataCapacity = vector.getDataBuffer().capacity();
  }

  /** Makes room for the row and returns where its value starts in the data. */
  private int start(int row) {
    if (row >= capacity) {
      if (capacity == 0) {
        throw finished();
      }
      while (vector.getValueCapacity() <= row) {
        vector.reallocValidityAndOffsetBuffers();
      }
      takeAddresses();
    }
    return MemoryUtil.getInt(offsets + 4L * row);
  }

  private void reserve(long end) {
    if (end <= dataCapacity) {
      return;
    }
    if (end > MAX_DATA) {
      throw new SluiceException(
          ErrorCode.BATCH_TOO_LARGE,
          "Column '"
              + rules.column().name()
              + "' would hold "
              + end
              + " bytes in one batch; the limit is "
              + MAX_DATA
              + ", write smaller batches");
    }
    vector.reallocDataBuffer(Math.max(end, dataCapacity * 2));
    takeAddresses();
  }

  private void end(int row, long end) {
    ValidityBits.set(validity, row);
    MemoryUtil.putInt(offsets + 4L * row + 4, (int) end);
    writtenRow = row;
  }

  @Override
  void putNull(int row) {
    int start = start(row);
    end(row, start);
    ValidityBits.clear(validity, row);
  }

  @Override
  boolean isFlat() {
    return true;
  }

  @Override
  void copyFrom(int row, ColumnWriter source, int sourceRow) {
    VariableColumnWriter from = (VariableColumnWriter) source;
    if (!ValidityBits.isSet(from.validity, sourceRow)) {
      putNull(row);
      return;
    }
    int begin = MemoryUtil.getInt(from.offsets + 4L * sourceRow);
    int length = MemoryUtil.getInt(from.offsets + 4L * sourceRow + 4) - begin;
    int start = start(row);
    long end = (long) start + length;
    reserve(end);
    MemoryUtil.copyMemory(from.data + begin, data + start, length);
    end(row, end);
  }

  @Override
  void setBytes(int row, byte[] value) {
    if (text) {
      throw rules.mismatch("byte[]");
    }
    putBytes(row, start(row), value);
  }

  /** Writes bytes that were checked when they were stored: text as UTF-8. */
  void putStored(int row, byte[] source, int from, int length) {
    int start = start(row);
    long end = (long) start + length;
    reserve(end);
    MemoryUtil.copyToMemory(source, from, data + start, length);
    end(row, end);
  }

  private void putBytes(int row, int start, byte[] value) {
    long end = (long) start + value.length;
    reserve(end);
    MemoryUtil.copyToMemory(value, 0, data + start, value.length);
    end(row, end);
  }

  @Override
  void setString(int row, String value) {
    if (!text) {
      throw rules.mismatch("String");
    }
    rules.text(value);
    int start = start(row);
    int length = value.length();
    reserve((long) start + length);
    byte[] latin1 = LatinStrings.bytes(value);
    if (latin1 != null && LatinStrings.copyAscii(latin1, data + start)) {
      end(row, (long) start + length);
    } else {
      encode(row, value, start);
    }
  }

  /** Text that is not ASCII, or not known to be. */
  private void encode(int row, String value, int start) {
    int length = value.length();
    if (length >= LONG_TEXT) {
      byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
      if (Utf8Replacements.none(value, utf8)) {
        putBytes(row, start, utf8);
        return;
      }
    }
    long at = data + start;
    int i = 0;
    while (i < length) {
      char c = value.charAt(i);
      if (c >= 0x80) {
        break;
      }
      MemoryUtil.putByte(at + i, (byte) c);
      i++;
    }
    end(row, i == length ? (long) start + length : encodeRest(value, i, start + i));
  }

  /** Encodes from character {@code i} on to data position {@code from}; returns the end. */
  private long encodeRest(String value, int i, int from) {
    int length = value.length();
    reserve(from + (long) (length - i) * MAX_UTF8_PER_CHAR);
    long at = data + from;
    while (i < length) {
      char c = value.charAt(i++);
      if (c < 0x80) {
        MemoryUtil.putByte(at++, (byte) c);
      } else if (c < 0x800) {
        MemoryUtil.putByte(at++, (byte) (0xC0 | (c >> 6)));
        MemoryUtil.putByte(at++, (byte) (0x80 | (c & 0x3F)));
      } else if (!Character.isSurrogate(c)) {
        MemoryUtil.putByte(at++, (byte) (0xE0 | (c >> 12)));
        MemoryUtil.putByte(at++, (byte) (0x80 | ((c >> 6) & 0x3F)));
        MemoryUtil.putByte(at++, (byte) (0x80 | (c & 0x3F)));
      } else {
        int point = pair(value, c, i++);
        MemoryUtil.putByte(at++, (byte) (0xF0 | (point >> 18)));
        MemoryUtil.putByte(at++, (byte) (0x80 | ((point >> 12) & 0x3F)));
        MemoryUtil.putByte(at++, (byte) (0x80 | ((point >> 6) & 0x3F)));
        MemoryUtil.putByte(at++, (byte) (0x80 | (point & 0x3F)));
      }
    }
    return at - data;
  }

  private int pair(String value, char high, int lowAt) {
    if (!Character.isHighSurrogate(high)
        || lowAt >= value.length()
        || !Character.isLowSurrogate(value.charAt(lowAt))) {
      throw rules.surrogate(value, lowAt - 1);
    }
    return Character.toCodePoint(high, value.charAt(lowAt));
  }

  @Override
  void putFrom(int row, Row source, int sourceColumn) {
    if (text) {
      setString(row, source.getString(sourceColumn));
    } else {
      setBytes(row, source.getBytes(sourceColumn));
    }
  }

  @Override
  long variableBytes(int rows) {
    return capacity == 0 ? finishedBytes : MemoryUtil.getInt(offsets + 4L * rows);
  }

  @Override
  void finish(int rows) {
    finishedBytes = variableBytes(rows);
    capacity = 0;
    vector.setLastSet(rows - 1);
    vector.setValueCount(rows);
  }
}
