package io.sluice.format.row;

import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseFixedWidthVector;

/** Writes values of a fixed number of bytes. NULL leaves zeroes in its place. */
abstract class FixedColumnWriter extends ColumnWriter {
  private final BaseFixedWidthVector vector;
  private final int width;
  private int capacity;
  private long validity;
  private long data;

  /**
   * @param width bytes of a value, 0 for bits
   */
  FixedColumnWriter(ValueRules rules, BaseFixedWidthVector vector, int width) {
    super(rules);
    this.vector = vector;
    this.width = width;
  }

  @Override
  final void bind(int expectedRows) {
    writtenRow = -1;
    if (vector.getValueCapacity() == 0) {
      vector.allocateNew(expectedRows);
    }
    takeAddresses();
  }

  private void takeAddresses() {
    capacity = vector.getValueCapacity();
    validity = vector.getValidityBufferAddress();
    data = vector.getDataBufferAddress();
  }

  /** Marks the row as not null and returns the address of its value (of all bits for bits). */
  final long slot(int row) {
    if (row >= capacity) {
      grow(row);
    }
    ValidityBits.set(validity, row);
    writtenRow = row;
    return data + (long) row * width;
  }

  private void grow(int row) {
    if (capacity == 0) {
      throw finished();
    }
    while (vector.getValueCapacity() <= row) {
      vector.reAlloc();
    }
    takeAddresses();
  }

  @Override
  final void putNull(int row) {
    long slot = slot(row);
    ValidityBits.clear(validity, row);
    if (width == 0) {
      ValidityBits.clear(slot, row);
    } else {
      MemoryUtil.setMemory(slot, width, (byte) 0);
    }
  }

  @Override
  final boolean isFlat() {
    return true;
  }

  @Override
  final void copyFrom(int row, ColumnWriter source, int sourceRow) {
    FixedColumnWriter from = (FixedColumnWriter) source;
    if (!ValidityBits.isSet(from.validity, sourceRow)) {
      putNull(row);
      return;
    }
    long target = slot(row);
    long value = from.data + (long) sourceRow * width;
    switch (width) {
      case 0 -> copyBit(target, row, ValidityBits.isSet(from.data, sourceRow));
      case 1 -> MemoryUtil.putByte(target, MemoryUtil.getByte(value));
      case 4 -> MemoryUtil.putInt(target, MemoryUtil.getInt(value));
      case 8 -> MemoryUtil.putLong(target, MemoryUtil.getLong(value));
      default -> MemoryUtil.copyMemory(value, target, width);
    }
  }

  private static void copyBit(long bits, int row, boolean value) {
    if (value) {
      ValidityBits.set(bits, row);
    } else {
      ValidityBits.clear(bits, row);
    }
  }

  @Override
  final void finish(int rows) {
    capacity = 0;
    vector.setValueCount(rows);
  }
}
