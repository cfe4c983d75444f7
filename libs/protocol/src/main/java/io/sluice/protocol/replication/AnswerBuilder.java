package io.sluice.protocol.replication;

import com.google.protobuf.CodedOutputStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.replication.v1.BucketAnswer;
import io.sluice.protocol.replication.v1.FetchAnswer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes one {@link FetchAnswer}. Batches are read from the log straight into the message: their
 * memory has room in front for the fields before them, and batches are the last field of a bucket.
 * Used by one thread; whoever does not come to {@link #build} closes it.
 */
public final class AnswerBuilder implements AutoCloseable {
  /** More than all other fields of a bucket with batches can take. */
  private static final int ROOM_IN_FRONT = 192;

  private static final int SMALL_BYTES = 512;
  private static final int WIRE_BYTES = 2;

  private final ByteBufAllocator buffers;
  private final List<ByteBuf> parts = new ArrayList<>();
  // Where small things go; the last of the parts, or none.
  private @Nullable ByteBuf open;
  private @Nullable ByteBuf given;
  private int bytes;

  /** An answer of that number without buckets. */
  public AnswerBuilder(ByteBufAllocator buffers, long answerId) {
    this.buffers = buffers;
    byte[] field =
        new byte[CodedOutputStream.computeInt64Size(FetchAnswer.ANSWER_ID_FIELD_NUMBER, answerId)];
    encode(field, out -> out.writeInt64(FetchAnswer.ANSWER_ID_FIELD_NUMBER, answerId));
    append(field);
  }

  /** Writes to a stream over an array, which does not fail. */
  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  private static void encode(byte[] target, Fields fields) {
    CodedOutputStream out = CodedOutputStream.newInstance(target);
    try {
      fields.writeTo(out);
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException("A message does not fit its computed size", e);
    }
  }

  private void append(byte[] field) {
    ByteBuf target = open;
    if (target == null) {
      target = buffers.directBuffer(SMALL_BYTES);
      open = target;
      parts.add(target);
    }
    target.writeBytes(field);
    bytes += field.length;
  }

  /** A bucket without batches. */
  public void add(BucketAnswer bucket) {
    int length = bucket.getSerializedSize();
    byte[] field = new byte[lengthDelimited(FetchAnswer.BUCKETS_FIELD_NUMBER, length)];
    encode(field, out -> out.writeMessage(FetchAnswer.BUCKETS_FIELD_NUMBER, bucket));
    append(field);
  }

  private static int lengthDelimited(int field, int length) {
    return CodedOutputStream.computeTagSize(field)
        + CodedOutputStream.computeUInt32SizeNoTag(length)
        + length;
  }

  /**
   * Memory for the batches of the bucket that is added next; takes the place of what was given for
   * it before. The buffer is direct.
   */
  public ByteBuffer memory(int size) {
    dropGiven();
    int capacity = ROOM_IN_FRONT + size;
    ByteBuf memory = buffers.directBuffer(capacity, capacity);
    given = memory;
    return memory.nioBuffer(ROOM_IN_FRONT, size);
  }

  /**
   * A bucket with batches, which are the first bytes of the memory that was given last.
   *
   * @param bucket all other fields
   * @param length bytes of the batches, at least 1
   */
  public void addWithBatches(BucketAnswer bucket, int length) {
    ByteBuf memory = given;
    if (memory == null || length < 1 || length > memory.capacity() - ROOM_IN_FRONT) {
      throw new IllegalStateException("No memory was given for batches of " + length + " bytes");
    }
    int fields = bucket.getSerializedSize();
    int content = fields + lengthDelimited(BucketAnswer.BATCHES_FIELD_NUMBER, length);
    byte[] front = new byte[lengthDelimited(FetchAnswer.BUCKETS_FIELD_NUMBER, content) - length];
    encode(
        front,
        out -> {
          out.writeTag(FetchAnswer.BUCKETS_FIELD_NUMBER, WIRE_BYTES);
          out.writeUInt32NoTag(content);
          bucket.writeTo(out);
          out.writeTag(BucketAnswer.BATCHES_FIELD_NUMBER, WIRE_BYTES);
          out.writeUInt32NoTag(length);
        });
    int start = ROOM_IN_FRONT - front.length;
    memory.setBytes(start, front);
    memory.setIndex(start, ROOM_IN_FRONT + length);
    parts.add(memory);
    bytes += front.length + length;
    given = null;
    open = null;
  }

  /** Gives back the memory that was given last and is not used. */
  public void dropGiven() {
    ByteBuf memory = given;
    given = null;
    if (memory != null) {
      memory.release();
    }
  }

  /** Bytes of the message so far. */
  public int bytes() {
    return bytes;
  }

  /** The message; the builder is empty then. */
  public OutboundFrame build() {
    dropGiven();
    ByteBuf[] all = parts.toArray(ByteBuf[]::new);
    parts.clear();
    open = null;
    return OutboundFrame.encoded(
        all.length == 1 ? all[0] : Unpooled.wrappedBuffer(all.length, all));
  }

  /** Gives back everything that was not built. Twice is harmless. */
  @Override
  public void close() {
    dropGiven();
    parts.forEach(ByteBuf::release);
    parts.clear();
    open = null;
  }
}
