package io.sluice.format.row;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.nio.ByteOrder;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;
import sun.misc.Unsafe;

/**
 * Reaches the array in which the platform keeps a text that has one byte a character, so that ASCII
 * is copied once and nothing is allocated: encoding by {@code getBytes} makes an array for every
 * value, which costs a collector that cycles through a large heap more than the encoding itself.
 * Where a platform keeps its strings otherwise, nothing is found here and the caller encodes.
 */
final class LatinStrings {
  private static final long HIGHEST_BITS = 0x8080808080808080L;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private static final @Nullable Unsafe UNSAFE;
  private static final long VALUE;
  private static final long CODER;

  static {
    Unsafe unsafe = null;
    long value = 0;
    long coder = 0;
    try {
      Field instance = Unsafe.class.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      Unsafe found = (Unsafe) instance.get(null);
      Field array = String.class.getDeclaredField("value");
      Field code = String.class.getDeclaredField("coder");
      if (array.getType() == byte[].class && code.getType() == byte.class) {
        value = found.objectFieldOffset(array);
        coder = found.objectFieldOffset(code);
        unsafe = works(found, value, coder) ? found : null;
      }
    } catch (ReflectiveOperationException | RuntimeException unknownPlatform) {
      unsafe = null;
    }
    UNSAFE = unsafe;
    VALUE = value;
    CODER = coder;
  }

  private LatinStrings() {}

  private static boolean works(Unsafe unsafe, long value, long coder) {
    // With compact strings switched off every text has two bytes a character.
    return unsafe.getByte("a\u00e9", coder) == 0
        && unsafe.getByte("a\u0100", coder) == 1
        && unsafe.getObject("a\u00e9", value) instanceof byte[] bytes
        && bytes.length == 2
        && bytes[0] == 'a'
        && bytes[1] == (byte) 0xe9;
  }

  /**
   * The characters of the text, a byte each; null when it has others than Latin-1, or that is not
   * known. The array is the text's own: it must not be changed.
   */
  static byte @Nullable [] bytes(String text) {
    Unsafe unsafe = UNSAFE;
    if (unsafe == null || unsafe.getByte(text, CODER) != 0) {
      return null;
    }
    return (byte[]) unsafe.getObject(text, VALUE);
  }

  /**
   * Copies the bytes to memory that has room for them.
   *
   * @return whether they are ASCII; if not, what was copied means nothing
   */
  static boolean copyAscii(byte[] bytes, long address) {
    int length = bytes.length;
    if (length < 8) {
      return copyShort(bytes, address);
    }
    long seen = 0;
    int last = length - 8;
    for (int at = 0; at < last; at += 8) {
      long word = (long) LONGS.get(bytes, at);
      seen |= word;
      MemoryUtil.putLong(address + at, word);
    }
    // The last word may overlap the one before it.
    long word = (long) LONGS.get(bytes, last);
    MemoryUtil.putLong(address + last, word);
    return ((seen | word) & HIGHEST_BITS) == 0;
  }

  private static boolean copyShort(byte[] bytes, long address) {
    int seen = 0;
    for (int at = 0; at < bytes.length; at++) {
      seen |= bytes[at];
      MemoryUtil.putByte(address + at, bytes[at]);
    }
    return seen >= 0;
  }
}
