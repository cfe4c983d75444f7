package io.sluice.format.batch;

import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType;
import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;

/** Random schemas and rows for tests, from a seeded source. */
public final class RandomBatches {
  private RandomBatches() {}

  /** One column of every scalar type, nullable every other one. */
  public static TableSchema allScalars() {
    List<Column> columns = new ArrayList<>();
    int id = 1;
    for (DataType type : scalarTypes()) {
      columns.add(Column.of(id, "c" + id, type, id % 2 == 0));
      id++;
    }
    return new TableSchema(1, columns, List.of());
  }

  /** Every scalar type once, temporals in each unit. */
  public static List<DataType> scalarTypes() {
    List<DataType> types = new ArrayList<>();
    types.add(new DataType.BooleanType());
    for (int bits : new int[] {8, 16, 32, 64}) {
      types.add(new DataType.IntegerType(bits));
    }
    types.add(new DataType.FloatType());
    types.add(new DataType.DoubleType());
    types.add(new DataType.CharType(5));
    types.add(new DataType.StringType());
    types.add(new DataType.DecimalType(38, 4));
    types.add(new DataType.DateType());
    for (int precision : new int[] {0, 3, 6, 9}) {
      types.add(new DataType.TimeType(precision));
      types.add(new DataType.TimestampType(precision));
      types.add(new DataType.TimestampLtzType(precision));
    }
    types.add(new DataType.BinaryType(7));
    types.add(new DataType.BytesType());
    return types;
  }

  /** A schema of 1 to {@code maxColumns} columns, some nested, ids not in order. */
  public static TableSchema schema(SplittableRandom random, int maxColumns) {
    int size = 1 + random.nextInt(maxColumns);
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int id = (i ^ 1) + 1;
      columns.add(Column.of(id, "c" + id, type(random, 2), random.nextInt(3) > 0));
    }
    return new TableSchema(1 + random.nextInt(65535), columns, List.of());
  }

  private static DataType type(SplittableRandom random, int depth) {
    if (depth > 0) {
      switch (random.nextInt(8)) {
        case 0:
          return new DataType.ArrayType(type(random, depth - 1), random.nextBoolean());
        case 1:
          return new DataType.MapType(
              new DataType.StringType(), type(random, depth - 1), random.nextBoolean());
        case 2:
          return new DataType.RowType(
              List.of(
                  new DataType.RowType.Field(101, "f", type(random, depth - 1), true),
                  new DataType.RowType.Field(102, "g", type(random, depth - 1), false)));
        default:
          break;
      }
    }
    if (random.nextInt(80) == 0) {
      return new DataType.BinaryType(4100);
    }
    List<DataType> types = scalarTypes();
    return types.get(random.nextInt(types.size()));
  }

  /** Rows of random values; NULLs, where allowed, in about a third of the columns. */
  public static VectorSchemaRoot rows(
      BufferAllocator allocator, TableSchema schema, SplittableRandom random, int rows) {
    VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), allocator);
    for (FieldVector vector : root.getFieldVectors()) {
      fill(vector, random, rows);
    }
    root.setRowCount(rows);
    return root;
  }

  private static void fill(FieldVector vector, SplittableRandom random, int rows) {
    int nullPercent = vector.getField().isNullable() ? new int[] {0, 40, 100}[pick(random)] : 0;
    // Half of the columns repeat few values, so that they compress.
    int variety = random.nextBoolean() ? 3 : Integer.MAX_VALUE;
    vector.setInitialCapacity(rows);
    vector.allocateNew();
    int children = 0;
    for (int i = 0; i < rows; i++) {
      if (random.nextInt(100) < nullPercent) {
        vector.setNull(i);
      } else {
        children += set(vector, i, new SplittableRandom(random.nextInt(variety)));
      }
    }
    if (vector instanceof ListVector list) {
      fill((FieldVector) list.getDataVector(), random, children);
    } else if (vector instanceof StructVector struct) {
      struct.getChildrenFromFields().forEach(child -> fill(child, random, rows));
    }
    vector.setValueCount(rows);
  }

  private static int pick(SplittableRandom random) {
    int value = random.nextInt(10);
    return value < 6 ? 0 : value < 9 ? 1 : 2;
  }

  private static int set(FieldVector vector, int index, SplittableRandom random) {
    if (vector instanceof ListVector list) {
      int size = random.nextInt(4);
      list.startNewValue(index);
      list.endValue(index, size);
      return size;
    }
    if (vector instanceof StructVector struct) {
      struct.setIndexDefined(index);
    } else if (vector instanceof BitVector bits) {
      bits.setSafe(index, random.nextInt(2));
    } else if (vector instanceof BaseFixedWidthVector fixed) {
      byte[] bytes = new byte[fixed.getTypeWidth()];
      random.nextBytes(bytes);
      fixed.getDataBuffer().setBytes((long) index * bytes.length, bytes);
      BitVectorHelper.setBit(fixed.getValidityBuffer(), index);
    } else if (vector instanceof BaseVariableWidthVector variable) {
      byte[] bytes = text(random).getBytes(StandardCharsets.UTF_8);
      variable.setSafe(index, bytes, 0, bytes.length);
    } else {
      throw new IllegalArgumentException("Cannot fill " + vector.getField());
    }
    return 0;
  }

  private static String text(SplittableRandom random) {
    int length = random.nextInt(20) == 0 ? random.nextInt(200) : random.nextInt(12);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      int point = random.nextInt(10) == 0 ? random.nextInt(0x11000) : 'a' + random.nextInt(26);
      text.appendCodePoint(Character.isSurrogate((char) point) ? 'x' : point);
    }
    return text.toString();
  }

  /** A copy of a heap or direct buffer's remaining bytes. */
  public static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
