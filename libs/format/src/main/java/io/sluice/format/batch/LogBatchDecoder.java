package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchLayout.BufferKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Turns the message and body of a record batch into Arrow vectors. Takes bytes from anywhere: every
 * length is bounded before it is allocated or used and every offset is checked before a vector sees
 * it, so that damaged bytes give CORRUPT_BATCH and nothing else. Buffers that are not compressed
 * become slices of the body, without a copy.
 *
 * <p>Reused from batch to batch; in between it holds no memory outside of the heap. One owner, not
 * thread-safe; {@link #close} twice is harmless.
 */
public final class LogBatchDecoder implements AutoCloseable {
  private final BufferAllocator allocator;
  private final RecordBatchMessage message = new RecordBatchMessage();
  private final @Nullable BufferCodec[] codecs =
      new @Nullable BufferCodec[BatchCodec.values().length];

  private @Nullable Schema knownSchema;
  private BatchLayout layout = BatchLayout.of(List.of());
  private ArrowBuf[] slices = new ArrowBuf[0];
  private int[] lengths = new int[0];

  /** The allocator pays for decoded vectors; bodies must come from the same root allocator. */
  public LogBatchDecoder(BufferAllocator allocator) {
    this.allocator = allocator;
  }

  /**
   * Decodes into a new root.
   *
   * @param arrowSchema the schema that the batch was written with
   * @param metadata the Arrow message; position is kept
   * @param body the readable bytes are the body; borrowed, though vectors may keep references
   * @return the rows, to be closed by the caller
   */
  public VectorSchemaRoot decode(Schema arrowSchema, ByteBuffer metadata, ArrowBuf body) {
    VectorSchemaRoot root = VectorSchemaRoot.create(arrowSchema, allocator);
    try {
      decode(root, metadata, body);
      return root;
    } catch (RuntimeException | Error e) {
      root.close();
      throw e;
    }
  }

  /**
   * Decodes into a root that exists, whose old rows go. When the batch is damaged the root keeps
   * its old rows.
   */
  public void decode(VectorSchemaRoot root, ByteBuffer metadata, ArrowBuf body) {
    useLayout(root.getSchema());
    message.read(metadata);
    int bodyBytes = Math.toIntExact(body.readableBytes());
    if (message.bodyLength() < 0 || message.bodyLength() > bodyBytes) {
      throw RecordBatchMessage.corrupt(
          "its body has " + message.bodyLength() + " bytes, only " + bodyBytes + " are there");
    }
    BatchStructure.check(layout, message, bodyBytes);
    ByteBuffer bytes = body.nioBuffer(body.readerIndex(), bodyBytes).order(ByteOrder.LITTLE_ENDIAN);
    int arenaBytes = measure(bytes);
    ArrowBuf arena = arenaBytes == 0 ? allocator.getEmpty() : allocator.buffer(arenaBytes);
    try {
      fill(body, bytes, arena, arenaBytes);
      OffsetChecks.check(layout, message, slices);
      load(root);
    } finally {
      rest();
      Arrays.fill(slices, allocator.getEmpty());
      arena.close();
    }
  }

  private void useLayout(Schema schema) {
    if (schema != knownSchema) {
      layout = BatchLayout.of(schema);
      knownSchema = schema;
      slices = new ArrowBuf[layout.bufferCount()];
      lengths = new int[layout.bufferCount()];
    }
  }

  /** Finds the decoded length of every buffer; returns what the arena must hold. */
  private int measure(ByteBuffer body) {
    long total = 0;
    long arena = 0;
    for (int node = 0; node < layout.nodeCount(); node++) {
      int end = layout.firstNodeBuffer(node + 1);
      for (int buffer = layout.firstNodeBuffer(node); buffer < end; buffer++) {
        long prefix =
            BatchStructure.hasPrefix(message, buffer)
                ? body.getLong((int) message.bufferOffset(buffer))
                : 0;
        int length = BatchStructure.uncompressedLength(layout, message, node, buffer, prefix);
        lengths[buffer] = length;
        total += length;
        if (needsArena(buffer, body)) {
          arena += LogBatchHeader.align(Math.max(length, 8));
        }
      }
    }
    if (total > BatchLimits.MAX_UNCOMPRESSED_BYTES) {
      throw new SluiceException(
          ErrorCode.BATCH_TOO_LARGE,
          "Batch has "
              + total
              + " bytes without compression; the limit is "
              + BatchLimits.MAX_UNCOMPRESSED_BYTES);
    }
    return Math.toIntExact(arena);
  }

  /** Compressed buffers go there, and the offsets that an empty vector needs but does not store. */
  private boolean needsArena(int buffer, ByteBuffer body) {
    if (message.bufferLength(buffer) == 0) {
      return isOffsets(buffer);
    }
    return message.codec() != BatchCodec.NONE && !BatchStructure.isRaw(message, buffer, body);
  }

  private boolean isOffsets(int buffer) {
    BufferKind kind = layout.kind(buffer);
    return kind == BufferKind.OFFSETS || kind == BufferKind.LARGE_OFFSETS;
  }

  private void fill(ArrowBuf body, ByteBuffer bytes, ArrowBuf arena, int arenaBytes) {
    ByteBuffer target = arenaBytes == 0 ? ByteBuffer.allocate(0) : arena.nioBuffer(0, arenaBytes);
    int at = 0;
    for (int buffer = 0; buffer < slices.length; buffer++) {
      int source = (int) message.bufferOffset(buffer);
      int stored = (int) message.bufferLength(buffer);
      int length = lengths[buffer];
      if (needsArena(buffer, bytes)) {
        if (length == 0) {
          length = 8;
          arena.setLong(at, 0);
        } else {
          decompress(buffer, bytes, source, stored, target, at, length);
        }
        slices[buffer] = arena.slice(at, length);
        at += LogBatchHeader.align(length);
      } else if (length == 0) {
        slices[buffer] = allocator.getEmpty();
      } else {
        slices[buffer] = body.slice(body.readerIndex() + source + stored - length, length);
      }
    }
  }

  private void decompress(
      int buffer,
      ByteBuffer bytes,
      int source,
      int stored,
      ByteBuffer target,
      int targetAt,
      int length) {
    int from = source + BatchStructure.PREFIX_BYTES;
    int frame = stored - BatchStructure.PREFIX_BYTES;
    try {
      codec(message.codec()).decompress(bytes, from, frame, target, targetAt, length);
    } catch (SluiceException e) {
      throw new SluiceException(
          e.code(), e.getMessage() + ", in column '" + columnOf(buffer) + "'", e);
    }
  }

  private String columnOf(int buffer) {
    int node = 0;
    while (layout.firstNodeBuffer(node + 1) <= buffer) {
      node++;
    }
    return layout.name(node);
  }

  private BufferCodec codec(BatchCodec id) {
    BufferCodec codec = codecs[id.id()];
    if (codec == null) {
      codec = BufferCodec.open(CompressionSettings.of(id));
      if (codec == null) {
        throw new IllegalArgumentException(id + " compresses nothing");
      }
      codecs[id.id()] = codec;
    }
    return codec;
  }

  private void rest() {
    for (BufferCodec codec : codecs) {
      if (codec != null) {
        codec.rest();
      }
    }
  }

  private void load(VectorSchemaRoot root) {
    List<ArrowBuf> all = Arrays.asList(slices);
    try {
      int node = 0;
      for (FieldVector vector : root.getFieldVectors()) {
        node = load(vector, node, all);
      }
      root.setRowCount(message.rows());
    } catch (RuntimeException | Error e) {
      root.clear();
      throw e;
    }
  }

  private int load(FieldVector vector, int node, List<ArrowBuf> all) {
    int validity = layout.firstNodeBuffer(node);
    if (message.nodeNullCount(node) == 0
        && validity < layout.firstNodeBuffer(node + 1)
        && layout.kind(validity) == BufferKind.VALIDITY) {
      // The count rules: bits that say otherwise must not make a NOT NULL column have NULLs.
      slices[validity] = allocator.getEmpty();
    }
    ArrowFieldNode fieldNode =
        new ArrowFieldNode(message.nodeLength(node), message.nodeNullCount(node));
    vector.loadFieldBuffers(
        fieldNode, all.subList(layout.firstNodeBuffer(node), layout.firstNodeBuffer(node + 1)));
    int next = node + 1;
    for (FieldVector child : vector.getChildrenFromFields()) {
      next = load(child, next, all);
    }
    return next;
  }

  /** Gives back the codecs. */
  @Override
  public void close() {
    for (int i = 0; i < codecs.length; i++) {
      BufferCodec codec = codecs[i];
      if (codec != null) {
        codec.close();
        codecs[i] = null;
      }
    }
  }
}
