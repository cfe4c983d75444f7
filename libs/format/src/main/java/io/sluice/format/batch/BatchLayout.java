package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.BufferLayout;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.ArrowType.ArrowTypeID;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * The field nodes and buffers a record batch of a schema has, flat and in Arrow's order: a column's
 * node, its buffers, then its children. Immutable.
 */
public final class BatchLayout {
  /** What a buffer holds, as far as its size and its checks depend on it. */
  enum BufferKind {
    /** One bit a row; empty when no row is NULL. */
    VALIDITY,
    /** One more offset than rows, 32 bits each. */
    OFFSETS,
    /** One more offset than rows, 64 bits each. */
    LARGE_OFFSETS,
    /** A fixed number of bits a row. */
    FIXED,
    /** The bytes that offsets point into. */
    VARIABLE
  }

  private final int[] columnNodes;
  private final int[] columnBuffers;
  private final String[] names;
  private final int[] parents;
  private final ArrowTypeID[] types;
  private final boolean[] nullable;
  private final int[] listSizes;
  private final int[] nodeBuffers;
  private final BufferKind[] kinds;
  private final long[] bits;

  private BatchLayout(Builder builder) {
    columnNodes = toInts(builder.columnNodes);
    columnBuffers = toInts(builder.columnBuffers);
    names = builder.names.toArray(new String[0]);
    parents = toInts(builder.parents);
    types = builder.types.toArray(new ArrowTypeID[0]);
    nullable = new boolean[types.length];
    for (int i = 0; i < nullable.length; i++) {
      nullable[i] = builder.nullable.get(i);
    }
    listSizes = toInts(builder.listSizes);
    nodeBuffers = toInts(builder.nodeBuffers);
    kinds = builder.kinds.toArray(new BufferKind[0]);
    bits = builder.bits.stream().mapToLong(Long::longValue).toArray();
  }

  /** The layout of the schema's fields; UNSUPPORTED for types that no batch can hold. */
  public static BatchLayout of(Schema schema) {
    return of(schema.getFields());
  }

  /** The layout of the fields, each a column. */
  public static BatchLayout of(List<Field> fields) {
    Builder builder = new Builder();
    for (Field field : fields) {
      builder.columnNodes.add(builder.types.size());
      builder.columnBuffers.add(builder.kinds.size());
      builder.add(field, -1, field.getName());
    }
    builder.columnNodes.add(builder.types.size());
    builder.columnBuffers.add(builder.kinds.size());
    builder.nodeBuffers.add(builder.kinds.size());
    return new BatchLayout(builder);
  }

  /** Number of columns. */
  public int columnCount() {
    return columnNodes.length - 1;
  }

  /** Number of field nodes of all columns. */
  public int nodeCount() {
    return types.length;
  }

  /** Number of buffers of all columns. */
  public int bufferCount() {
    return kinds.length;
  }

  /** First node of a column; for {@code column == columnCount()} the end of the last one. */
  public int firstNode(int column) {
    return columnNodes[column];
  }

  /** First buffer of a column; for {@code column == columnCount()} the end of the last one. */
  public int firstBuffer(int column) {
    return columnBuffers[column];
  }

  /** First own buffer of a node; for {@code node == nodeCount()} the end of the last one. */
  public int firstNodeBuffer(int node) {
    return nodeBuffers[node];
  }

  /** The node a nested node belongs to, -1 for a column. */
  public int parent(int node) {
    return parents[node];
  }

  /** Name of the column, with the names of nested fields after dots. */
  String name(int node) {
    return names[node];
  }

  /** Arrow's kind of type of the node. */
  ArrowTypeID type(int node) {
    return types[node];
  }

  /** Whether the schema allows NULL at this node. */
  boolean nullable(int node) {
    return nullable[node];
  }

  /** What the buffer holds. */
  BufferKind kind(int buffer) {
    return kinds[buffer];
  }

  /**
   * The fewest bytes that a buffer of so many rows has without compression. A validity buffer may
   * be empty, though not short, when there are no NULLs; an offset buffer when there are no rows.
   */
  public long minimalBytes(int buffer, long rows, long nullCount) {
    return switch (kinds[buffer]) {
      case VALIDITY -> nullCount == 0 ? 0 : (rows + 7) / 8;
      case OFFSETS -> rows == 0 ? 0 : (rows + 1) * 4;
      case LARGE_OFFSETS -> rows == 0 ? 0 : (rows + 1) * 8;
      case FIXED -> (rows * bits[buffer] + 7) / 8;
      case VARIABLE -> 0;
    };
  }

  /**
   * The most bytes that a buffer of so many rows may claim: room for the padding and the spare
   * capacity that other writers leave at the end.
   */
  long maximalBytes(int buffer, long rows) {
    if (kinds[buffer] == BufferKind.VARIABLE) {
      return BatchLimits.MAX_UNCOMPRESSED_BYTES;
    }
    return Math.min(BatchLimits.MAX_UNCOMPRESSED_BYTES, 2 * minimalBytes(buffer, rows, 1) + 1024);
  }

  /**
   * Length that a nested node must have by its parent's, -1 when only the parent's offsets say.
   *
   * @param parentLength rows of the parent
   */
  public long lengthFromParent(int node, long parentLength) {
    return switch (types[parents[node]]) {
      case Struct -> parentLength;
      case FixedSizeList -> parentLength * listSizes[parents[node]];
      default -> -1;
    };
  }

  private static int[] toInts(List<Integer> list) {
    return list.stream().mapToInt(Integer::intValue).toArray();
  }

  private static final class Builder {
    final List<Integer> columnNodes = new ArrayList<>();
    final List<Integer> columnBuffers = new ArrayList<>();
    final List<String> names = new ArrayList<>();
    final List<Integer> parents = new ArrayList<>();
    final List<ArrowTypeID> types = new ArrayList<>();
    final List<Boolean> nullable = new ArrayList<>();
    final List<Integer> listSizes = new ArrayList<>();
    final List<Integer> nodeBuffers = new ArrayList<>();
    final List<BufferKind> kinds = new ArrayList<>();
    final List<Long> bits = new ArrayList<>();

    void add(Field field, int parent, String name) {
      ArrowType type = field.getType();
      if (field.getDictionary() != null || !isSupported(type.getTypeID())) {
        throw new SluiceException(
            ErrorCode.UNSUPPORTED,
            "Column '" + name + "' has the Arrow type " + field + ", which batches do not hold");
      }
      int node = types.size();
      names.add(name);
      parents.add(parent);
      types.add(type.getTypeID());
      nullable.add(field.isNullable());
      listSizes.add(type instanceof ArrowType.FixedSizeList list ? list.getListSize() : 0);
      nodeBuffers.add(kinds.size());
      boolean variable = false;
      for (BufferLayout buffer : TypeLayout.getTypeLayout(type).getBufferLayouts()) {
        kinds.add(kind(buffer, variable));
        bits.add(bits(type, buffer));
        variable |= buffer.getType() == BufferLayout.BufferType.OFFSET;
      }
      for (Field child : field.getChildren()) {
        add(child, node, name + '.' + child.getName());
      }
    }

    /** Arrow's layout keeps the width in 16 bits, too few for a wide FixedSizeBinary. */
    private static long bits(ArrowType type, BufferLayout buffer) {
      boolean data = buffer.getType() == BufferLayout.BufferType.DATA;
      return data && type instanceof ArrowType.FixedSizeBinary binary
          ? 8L * binary.getByteWidth()
          : buffer.getTypeBitWidth();
    }

    private static BufferKind kind(BufferLayout buffer, boolean variable) {
      return switch (buffer.getType()) {
        case VALIDITY -> BufferKind.VALIDITY;
        case OFFSET ->
            buffer.getTypeBitWidth() == 64 ? BufferKind.LARGE_OFFSETS : BufferKind.OFFSETS;
        default -> variable ? BufferKind.VARIABLE : BufferKind.FIXED;
      };
    }

    private static boolean isSupported(ArrowTypeID type) {
      return switch (type) {
        case Union, Utf8View, BinaryView, ListView, LargeListView, RunEndEncoded, NONE -> false;
        default -> true;
      };
    }
  }
}
