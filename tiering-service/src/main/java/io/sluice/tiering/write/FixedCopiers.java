package io.sluice.tiering.write;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.parquet.column.ColumnWriter;

/** Copiers of values whose bits stay as they are. */
final class FixedCopiers {
  private FixedCopiers() {}

  static final class Bools extends ColumnCopier {
    Bools(boolean nullable) {
      super(nullable);
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        out.write(((data.getByte(row >> 3) >> (row & 7)) & 1) != 0, 0, present);
      }
    }
  }

  static final class Bytes extends ColumnCopier {
    Bytes(boolean nullable) {
      super(nullable);
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        out.write((int) data.getByte(row), 0, present);
      }
    }
  }

  static final class Shorts extends ColumnCopier {
    Shorts(boolean nullable) {
      super(nullable);
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        out.write((int) data.getShort((long) row << 1), 0, present);
      }
    }
  }

  static final class Ints extends ColumnCopier {
    Ints(boolean nullable) {
      super(nullable);
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        out.write(data.getInt((long) row << 2), 0, present);
      }
    }
  }

  static final class Longs extends ColumnCopier {
    Longs(boolean nullable) {
      super(nullable);
    }

    @Override
    void values(FieldVector vector, int from, int to, ColumnWriter out) {
      ArrowBuf data = vector.getDataBuffer();
      for (int row = from; row < to; row++) {
        out.write(data.getLong((long) row << 3), 0, present);
      }
    }
  }
}
