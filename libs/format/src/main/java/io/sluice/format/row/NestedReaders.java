package io.sluice.format.row;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.jspecify.annotations.Nullable;

/** Readers of ARRAY, MAP and ROW vectors: they give objects, with objects inside. */
final class NestedReaders {
  private NestedReaders() {}

  static VectorReader of(FieldVector vector) {
    if (vector instanceof MapVector map) {
      return new MapReader(map);
    }
    if (vector instanceof ListVector list) {
      return new ArrayReader(list);
    }
    return vector instanceof StructVector struct
        ? new RowReader(struct)
        : new ForeignReader(vector);
  }

  private static @Nullable Object valueOrNull(VectorReader reader, int row) {
    return reader.isNull(row) ? null : reader.value(row);
  }

  private static final class ArrayReader extends VectorReader {
    private final ListVector vector;
    private final VectorReader elements;

    ArrayReader(ListVector vector) {
      super(vector);
      this.vector = vector;
      this.elements = VectorReader.of(vector.getChildrenFromFields().get(0));
    }

    @Override
    List<@Nullable Object> array(int row) {
      int end = vector.getElementEndIndex(row);
      int start = vector.getElementStartIndex(row);
      List<@Nullable Object> values = new ArrayList<>(end - start);
      for (int i = start; i < end; i++) {
        values.add(valueOrNull(elements, i));
      }
      return Collections.unmodifiableList(values);
    }

    @Override
    Object value(int row) {
      return array(row);
    }
  }

  private static final class MapReader extends VectorReader {
    private final MapVector vector;
    private final VectorReader keys;
    private final VectorReader values;

    MapReader(MapVector vector) {
      super(vector);
      this.vector = vector;
      List<FieldVector> entries = vector.getChildrenFromFields().get(0).getChildrenFromFields();
      this.keys = VectorReader.of(entries.get(0));
      this.values = VectorReader.of(entries.get(1));
    }

    @Override
    Map<Object, @Nullable Object> map(int row) {
      int end = vector.getElementEndIndex(row);
      Map<Object, @Nullable Object> entries = new LinkedHashMap<>();
      for (int i = vector.getElementStartIndex(row); i < end; i++) {
        entries.put(keys.value(i), valueOrNull(values, i));
      }
      return Collections.unmodifiableMap(entries);
    }

    @Override
    Object value(int row) {
      return map(row);
    }
  }

  private static final class RowReader extends VectorReader {
    private final VectorReader[] fields;

    RowReader(StructVector vector) {
      super(vector);
      this.fields =
          vector.getChildrenFromFields().stream()
              .map(VectorReader::of)
              .toArray(VectorReader[]::new);
    }

    @Override
    Row row(int row) {
      @Nullable Object[] values = new @Nullable Object[fields.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = valueOrNull(fields[i], row);
      }
      return GenericRow.wrapping(values);
    }

    @Override
    Object value(int row) {
      return row(row);
    }
  }

  private static final class ForeignReader extends VectorReader {
    ForeignReader(FieldVector vector) {
      super(vector);
    }

    @Override
    Object value(int row) {
      throw mismatch("a row");
    }

    @Override
    SluiceException mismatch(String getter) {
      return new SluiceException(
          ErrorCode.UNSUPPORTED,
          "Column '"
              + name()
              + "' is of an Arrow type that no column has; read its vector instead of a row");
    }
  }
}
