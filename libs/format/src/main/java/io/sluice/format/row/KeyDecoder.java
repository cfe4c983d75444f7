package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads one row key from its first byte to its last; see {@link KeyEncoder}. */
final class KeyDecoder {
  private final byte[] key;
  private int at;

  KeyDecoder(byte[] key) {
    this.key = key;
  }

  GenericRow decode(ScalarColumn[] columns) {
    if (key.length == 0 || key[0] != KeyEncoder.ROW_PREFIX) {
      throw damaged("the first byte must be 0x01");
    }
    at = 1;
    Object[] values = new Object[columns.length];
    for (int i = 0; i < columns.length; i++) {
      values[i] = value(columns[i]);
    }
    if (at != key.length) {
      throw damaged("bytes follow the last key column");
    }
    return GenericRow.of(values);
  }

  private Object value(ScalarColumn column) {
    return switch (column.family()) {
      case BOOLEAN -> booleanValue(column);
      case INTEGER, DATE, TIME, TIMESTAMP, INSTANT -> column.value(signed(column, column.width()));
      case FLOAT -> {
        int bits = (int) unsigned(column, 4);
        yield Float.intBitsToFloat(bits < 0 ? bits ^ Integer.MIN_VALUE : ~bits);
      }
      case DOUBLE -> {
        long bits = unsigned(column, 8);
        yield Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
      }
      case DECIMAL -> decimal(column);
      case TEXT -> text(column);
      case BYTES -> escaped(column);
      case BINARY -> bytes(column, column.width());
      case NESTED -> throw column.rules().noKey();
    };
  }

  private boolean booleanValue(ScalarColumn column) {
    byte value = bytes(column, 1)[0];
    if (value != 0 && value != 1) {
      at--;
      throw damaged("column '" + column.name() + "' must be 0 or 1, it is " + (value & 0xFF));
    }
    return value == 1;
  }

  private long unsigned(ScalarColumn column, int width) {
    long value = 0;
    for (byte b : bytes(column, width)) {
      value = (value << 8) | (b & 0xFF);
    }
    return value;
  }

  private long signed(ScalarColumn column, int width) {
    int shift = 64 - 8 * width;
    return ((unsigned(column, width) ^ KeyEncoder.signBit(width)) << shift) >> shift;
  }

  private BigDecimal decimal(ScalarColumn column) {
    byte[] bytes = bytes(column, KeyEncoder.decimalWidth(column));
    bytes[0] ^= (byte) 0x80;
    return new BigDecimal(new BigInteger(bytes), column.rules().scale());
  }

  private String text(ScalarColumn column) {
    int start = at;
    byte[] utf8 = escaped(column);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      at = start;
      throw damaged("column '" + column.name() + "' is not UTF-8", e);
    }
  }

  private byte[] escaped(ScalarColumn column) {
    byte[] value = new byte[key.length - at];
    int length = 0;
    while (at + 1 < key.length) {
      byte b = key[at++];
      if (b != 0) {
        value[length++] = b;
        continue;
      }
      int next = key[at++] & 0xFF;
      if (next == 0) {
        return Arrays.copyOf(value, length);
      }
      if (next != KeyEncoder.ESCAPED_ZERO) {
        at--;
        throw damaged("column '" + column.name() + "' has a zero byte followed by " + next);
      }
      value[length++] = 0;
    }
    throw damaged("the end of column '" + column.name() + "' is missing");
  }

  private byte[] bytes(ScalarColumn column, int count) {
    if (key.length - at < count) {
      throw damaged("column '" + column.name() + "' needs " + count + " bytes");
    }
    at += count;
    return Arrays.copyOfRange(key, at - count, at);
  }

  private SluiceException damaged(String what) {
    return new SluiceException(ErrorCode.INVALID_VALUE, message(what));
  }

  private SluiceException damaged(String what, Throwable cause) {
    return new SluiceException(ErrorCode.INVALID_VALUE, message(what), cause);
  }

  private String message(String what) {
    return "Key of " + key.length + " bytes is damaged at byte " + at + ": " + what;
  }
}
