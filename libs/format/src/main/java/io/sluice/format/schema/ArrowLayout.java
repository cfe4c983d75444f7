package io.sluice.format.schema;

import io.sluice.format.schema.DataType.ArrayType;
import io.sluice.format.schema.DataType.BinaryType;
import io.sluice.format.schema.DataType.BooleanType;
import io.sluice.format.schema.DataType.BytesType;
import io.sluice.format.schema.DataType.CharType;
import io.sluice.format.schema.DataType.DateType;
import io.sluice.format.schema.DataType.DecimalType;
import io.sluice.format.schema.DataType.DoubleType;
import io.sluice.format.schema.DataType.FloatType;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.DataType.MapType;
import io.sluice.format.schema.DataType.RowType;
import io.sluice.format.schema.DataType.StringType;
import io.sluice.format.schema.DataType.TimeType;
import java.util.ArrayList;
import java.util.List;

/**
 * The field nodes and buffers that columns take in an Arrow RecordBatch message, in its order: a
 * node before its children, and of each node validity, then offsets or values, then data.
 */
public final class ArrowLayout {

  /** What a buffer holds. */
  public enum BufferKind {
    /** One bit per value, 1 = not null; length 0 is allowed when nothing is null. */
    VALIDITY,
    /** One bit per value. */
    BITS,
    /** Offsets of 4 bytes, one more than values. */
    OFFSETS,
    /** Values of a fixed number of bytes. */
    FIXED,
    /** Bytes that offsets point into. */
    DATA
  }

  /**
   * One buffer.
   *
   * @param kind what it holds
   * @param width bytes of a value for FIXED and OFFSETS, else 0
   */
  public record Buffer(BufferKind kind, int width) {
    private static final Buffer VALIDITY = new Buffer(BufferKind.VALIDITY, 0);
    private static final Buffer BITS = new Buffer(BufferKind.BITS, 0);
    private static final Buffer OFFSETS = new Buffer(BufferKind.OFFSETS, 4);
    private static final Buffer DATA = new Buffer(BufferKind.DATA, 0);

    /** The fewest bytes this buffer may have for a node of {@code length} values. */
    public long minimalBytes(long length) {
      if (length == 0) {
        return 0;
      }
      return switch (kind) {
        case VALIDITY, BITS -> (length + 7) >>> 3;
        case OFFSETS -> (length + 1) * width;
        case FIXED -> length * width;
        case DATA -> 0;
      };
    }
  }

  /**
   * One field node.
   *
   * @param column position of the top-level column it belongs to
   * @param parent index of the parent node, -1 for a column itself
   * @param sameLength whether it must have as many values as its parent (as its batch, for a
   *     column); false below a list or map, where offsets decide
   * @param nullable whether it may hold nulls
   * @param firstBuffer index of its first buffer in the batch
   * @param buffers its own buffers
   */
  public record Node(
      int column,
      int parent,
      boolean sameLength,
      boolean nullable,
      int firstBuffer,
      List<Buffer> buffers) {
    public Node {
      buffers = List.copyOf(buffers);
    }
  }

  private final List<Node> nodes;
  private final int[] firstNodes;
  private final int bufferCount;

  private ArrowLayout(List<Node> nodes, int[] firstNodes, int bufferCount) {
    this.nodes = List.copyOf(nodes);
    this.firstNodes = firstNodes;
    this.bufferCount = bufferCount;
  }

  /** The layout of a batch of all columns of the schema. */
  public static ArrowLayout of(TableSchema schema) {
    return of(schema.columns());
  }

  /** The layout of a batch of these columns. */
  public static ArrowLayout of(List<Column> columns) {
    Builder builder = new Builder();
    int[] firstNodes = new int[columns.size() + 1];
    for (int i = 0; i < columns.size(); i++) {
      firstNodes[i] = builder.nodes.size();
      builder.add(i, -1, true, columns.get(i).type(), columns.get(i).nullable());
    }
    firstNodes[columns.size()] = builder.nodes.size();
    return new ArrowLayout(builder.nodes, firstNodes, builder.bufferCount);
  }

  /** Field nodes of a column of this type, its children's among them. */
  public static int nodeCount(DataType type) {
    return single(type).nodeCount();
  }

  /** Buffers of a column of this type, its children's among them. */
  public static int bufferCount(DataType type) {
    return single(type).bufferCount();
  }

  private static ArrowLayout single(DataType type) {
    return of(List.of(Column.of(1, "c", type, true)));
  }

  /** All nodes. */
  public int nodeCount() {
    return nodes.size();
  }

  /** All buffers. */
  public int bufferCount() {
    return bufferCount;
  }

  /** The node at that index of the message. */
  public Node node(int index) {
    return nodes.get(index);
  }

  /** Index of the first node of a column; for the column after the last, the node count. */
  public int firstNode(int column) {
    return firstNodes[column];
  }

  /** Index of the first buffer of a column; for the column after the last, the buffer count. */
  public int firstBuffer(int column) {
    int node = firstNodes[column];
    return node == nodes.size() ? bufferCount : nodes.get(node).firstBuffer();
  }

  /** The buffers of a node of this type, without those of its children. */
  public static List<Buffer> ownBuffers(DataType type) {
    if (type instanceof BooleanType) {
      return List.of(Buffer.VALIDITY, Buffer.BITS);
    }
    if (type instanceof CharType || type instanceof StringType || type instanceof BytesType) {
      return List.of(Buffer.VALIDITY, Buffer.OFFSETS, Buffer.DATA);
    }
    if (type instanceof ArrayType || type instanceof MapType) {
      return List.of(Buffer.VALIDITY, Buffer.OFFSETS);
    }
    if (type instanceof RowType) {
      return List.of(Buffer.VALIDITY);
    }
    return List.of(Buffer.VALIDITY, new Buffer(BufferKind.FIXED, fixedWidth(type)));
  }

  /** Bytes of a value in Arrow; 0 for BOOLEAN, text, BYTES and nested types. */
  public static int fixedWidth(DataType type) {
    if (type instanceof IntegerType integer) {
      return integer.bits() / 8;
    }
    if (type instanceof FloatType || type instanceof DateType) {
      return 4;
    }
    if (type instanceof DecimalType) {
      return 16;
    }
    if (type instanceof BinaryType binary) {
      return binary.length();
    }
    if (type instanceof TimeType time) {
      return time.precision() <= 3 ? 4 : 8;
    }
    if (type instanceof DoubleType || isTimestamp(type)) {
      return 8;
    }
    return 0;
  }

  private static boolean isTimestamp(DataType type) {
    return type instanceof DataType.TimestampType || type instanceof DataType.TimestampLtzType;
  }

  private static final class Builder {
    private final List<Node> nodes = new ArrayList<>();
    private int bufferCount;

    void add(int column, int parent, boolean sameLength, DataType type, boolean nullable) {
      int self = nodes.size();
      List<Buffer> buffers = ownBuffers(type);
      nodes.add(new Node(column, parent, sameLength, nullable, bufferCount, buffers));
      bufferCount += buffers.size();
      if (type instanceof ArrayType array) {
        add(column, self, false, array.element(), array.elementNullable());
      } else if (type instanceof MapType map) {
        int entries = nodes.size();
        List<Buffer> validity = List.of(Buffer.VALIDITY);
        nodes.add(new Node(column, self, false, false, bufferCount++, validity));
        add(column, entries, true, map.key(), false);
        add(column, entries, true, map.value(), map.valueNullable());
      } else if (type instanceof RowType row) {
        for (RowType.Field field : row.fields()) {
          add(column, self, true, field.type(), field.nullable());
        }
      }
    }
  }
}
