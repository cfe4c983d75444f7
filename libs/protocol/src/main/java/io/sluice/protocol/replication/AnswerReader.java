package io.sluice.protocol.replication;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.HasByteBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.protocol.replication.v1.BucketAnswer;
import io.sluice.protocol.replication.v1.FetchAnswer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads one FetchAnswer field by field, in any order. Batches are copied once, from where the
 * transport received them into a direct buffer for each bucket; the small fields of a bucket are
 * gathered and given to the generated parser. Every length is checked against what is left before
 * memory is taken. Used once.
 */
final class AnswerReader {
  private static final int WIRE_VARINT = 0;
  private static final int WIRE_FIXED64 = 1;
  private static final int WIRE_BYTES = 2;
  private static final int WIRE_FIXED32 = 5;
  private static final int MAX_VARINT_BYTES = 10;
  private static final int COPY_BYTES = 16 * 1024;

  private final InputStream in;
  private final ByteBufAllocator buffers;
  private final int size;
  private final List<ReceivedBucket> buckets = new ArrayList<>();
  private int at;
  private long answerId;

  AnswerReader(InputStream in, ByteBufAllocator buffers) throws IOException {
    this.in = in;
    this.buffers = buffers;
    // Transports have the whole message before they hand it over, and know how long it is.
    this.size = in.available();
  }

  /** The answer; nothing stays allocated when this throws. */
  ReceivedAnswer read() throws IOException {
    boolean done = false;
    try {
      while (at < size) {
        long tag = readVarint(size);
        if (tag == tag(FetchAnswer.ANSWER_ID_FIELD_NUMBER, WIRE_VARINT)) {
          answerId = readVarint(size);
        } else if (tag == tag(FetchAnswer.BUCKETS_FIELD_NUMBER, WIRE_BYTES)) {
          int length = readLength(size);
          buckets.add(readBucket(at + length));
        } else {
          copyField(tag, size, null);
        }
      }
      done = true;
      return new ReceivedAnswer(answerId, buckets, size);
    } finally {
      if (!done) {
        buckets.forEach(ReceivedBucket::close);
      }
    }
  }

  private static int tag(int field, int wireType) {
    return field << 3 | wireType;
  }

  private ReceivedBucket readBucket(int end) throws IOException {
    ByteArrayOutputStream small = new ByteArrayOutputStream(96);
    ByteBuf batches = null;
    boolean done = false;
    try {
      while (at < end) {
        long tag = readVarint(end);
        if (tag == tag(BucketAnswer.BATCHES_FIELD_NUMBER, WIRE_BYTES)) {
          if (batches != null) {
            throw damaged("it has batches twice");
          }
          batches = readBatches(readLength(end));
        } else {
          copyField(tag, end, small);
        }
      }
      ReceivedBucket bucket = new ReceivedBucket(parse(small), batches);
      done = true;
      return bucket;
    } finally {
      if (!done && batches != null) {
        batches.release();
      }
    }
  }

  private static BucketAnswer parse(ByteArrayOutputStream small)
      throws InvalidProtocolBufferException {
    return BucketAnswer.parseFrom(small.toByteArray());
  }

  private @Nullable ByteBuf readBatches(int length) throws IOException {
    if (length == 0) {
      return null;
    }
    ByteBuf memory = buffers.directBuffer(length, length);
    boolean done = false;
    try {
      if (in instanceof HasByteBuffer direct && direct.byteBufferSupported()) {
        fill(direct, memory, length);
      } else {
        fill(memory, length);
      }
      at += length;
      done = true;
      return memory;
    } finally {
      if (!done) {
        memory.release();
      }
    }
  }

  private void fill(HasByteBuffer source, ByteBuf memory, int length) throws IOException {
    while (memory.readableBytes() < length) {
      ByteBuffer chunk = source.getByteBuffer();
      if (chunk == null || !chunk.hasRemaining()) {
        throw truncated();
      }
      int count = Math.min(length - memory.readableBytes(), chunk.remaining());
      memory.writeBytes(chunk.slice(chunk.position(), count));
      if (in.skip(count) != count) {
        throw truncated();
      }
    }
  }

  private void fill(ByteBuf memory, int length) throws IOException {
    while (memory.readableBytes() < length) {
      if (memory.writeBytes(in, length - memory.readableBytes()) <= 0) {
        throw truncated();
      }
    }
  }

  /** Passes over a field, and appends it to a target when there is one. */
  private void copyField(long tag, int end, @Nullable ByteArrayOutputStream target)
      throws IOException {
    if (tag >>> 3 == 0) {
      throw damaged("it has a field with number 0");
    }
    write(tag, target);
    switch ((int) tag & 7) {
      case WIRE_VARINT -> write(readVarint(end), target);
      case WIRE_FIXED64 -> copy(8, end, target);
      case WIRE_FIXED32 -> copy(4, end, target);
      case WIRE_BYTES -> {
        int length = readLength(end);
        write(length, target);
        copy(length, end, target);
      }
      default -> throw damaged("it has a field of wire type " + (tag & 7));
    }
  }

  private static void write(long varint, @Nullable ByteArrayOutputStream target) {
    if (target == null) {
      return;
    }
    long left = varint;
    while ((left & ~0x7FL) != 0) {
      target.write((int) (left & 0x7F) | 0x80);
      left >>>= 7;
    }
    target.write((int) left);
  }

  private void copy(int length, int end, @Nullable ByteArrayOutputStream target)
      throws IOException {
    if (length > end - at) {
      throw truncated();
    }
    int left = length;
    while (left > 0) {
      byte[] bytes = in.readNBytes(Math.min(left, COPY_BYTES));
      if (bytes.length == 0) {
        throw truncated();
      }
      if (target != null) {
        target.write(bytes, 0, bytes.length);
      }
      left -= bytes.length;
    }
    at += length;
  }

  private int readLength(int end) throws IOException {
    long length = readVarint(end);
    if (length < 0 || length > end - at) {
      throw damaged("a field says it has " + length + " bytes but " + (end - at) + " are left");
    }
    return (int) length;
  }

  private long readVarint(int end) throws IOException {
    long value = 0;
    for (int i = 0; i < MAX_VARINT_BYTES; i++) {
      int b = at < end ? in.read() : -1;
      if (b < 0) {
        throw truncated();
      }
      at++;
      value |= (long) (b & 0x7F) << (7 * i);
      if ((b & 0x80) == 0) {
        return value;
      }
    }
    throw damaged("it has a number of more than 10 bytes");
  }

  private IOException truncated() {
    return damaged("it ends inside of a field");
  }

  private IOException damaged(String why) {
    return new IOException(why + ", at byte " + at + " of " + size);
  }
}
