package io.sluice.tablet.flight;

import io.sluice.format.filter.Selection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;

/** Copies some rows of a batch together, column by column. */
final class ChosenRows {
  private ChosenRows() {}

  /**
   * The chosen rows among {@code [from, to)}, to be closed by the caller.
   *
   * @param count how many they are
   */
  static VectorSchemaRoot copy(
      VectorSchemaRoot all,
      Selection chosen,
      int from,
      int to,
      int count,
      BufferAllocator allocator) {
    int[] rows = new int[count];
    int at = 0;
    for (int row = chosen.next(from); row < to; row = chosen.next(row + 1)) {
      rows[at++] = row;
    }
    List<FieldVector> copies = new ArrayList<>(all.getFieldVectors().size());
    boolean done = false;
    try {
      for (FieldVector vector : all.getFieldVectors()) {
        FieldVector copy = vector.getField().createVector(allocator);
        copies.add(copy);
        copy(vector, copy, rows, count);
      }
      VectorSchemaRoot root = new VectorSchemaRoot(all.getSchema(), copies, count);
      done = true;
      return root;
    } finally {
      if (!done) {
        copies.forEach(FieldVector::close);
      }
    }
  }

  private static void copy(FieldVector source, FieldVector target, int[] rows, int count) {
    target.setInitialCapacity(count);
    target.allocateNew();
    if (source instanceof ListVector lists) {
      copyLists(lists, (ListVector) target, rows, count);
    } else if (source instanceof StructVector structs) {
      copyStructs(structs, (StructVector) target, rows, count);
    } else {
      for (int i = 0; i < count; i++) {
        target.copyFromSafe(rows[i], i, source);
      }
    }
    target.setValueCount(count);
  }

  /** Also maps, which are lists of entries. */
  private static void copyLists(ListVector source, ListVector target, int[] rows, int count) {
    int[] elements = new int[count];
    int found = 0;
    for (int i = 0; i < count; i++) {
      if (source.isNull(rows[i])) {
        target.setNull(i);
        continue;
      }
      int start = source.getElementStartIndex(rows[i]);
      int length = source.getElementEndIndex(rows[i]) - start;
      if (found + length > elements.length) {
        elements = Arrays.copyOf(elements, Math.max(2 * elements.length, found + length));
      }
      for (int element = 0; element < length; element++) {
        elements[found++] = start + element;
      }
      target.startNewValue(i);
      target.endValue(i, length);
    }
    copy(source.getDataVector(), target.getDataVector(), elements, found);
  }

  private static void copyStructs(StructVector source, StructVector target, int[] rows, int count) {
    for (int i = 0; i < count; i++) {
      if (source.isNull(rows[i])) {
        target.setNull(i);
      } else {
        target.setIndexDefined(i);
      }
    }
    List<FieldVector> children = source.getChildrenFromFields();
    List<FieldVector> copies = target.getChildrenFromFields();
    for (int i = 0; i < children.size(); i++) {
      copy(children.get(i), copies.get(i), rows, count);
    }
  }
}
