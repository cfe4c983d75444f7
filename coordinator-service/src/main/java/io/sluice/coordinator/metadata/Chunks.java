package io.sluice.coordinator.metadata;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * An immutable list of which a changed copy shares all chunks in which nothing changed: one bucket
 * of a table with very many of them changes at the price of a few hundred references.
 *
 * @param <E> element, never null
 */
final class Chunks<E> extends AbstractList<E> implements RandomAccess {
  private static final int SHIFT = 7;
  private static final int CHUNK = 1 << SHIFT;

  private final Object[][] chunks;
  private final int size;

  private Chunks(Object[][] chunks, int size) {
    this.chunks = chunks;
    this.size = size;
  }

  /** The elements of a list; the list itself when it is one of these. */
  static <E> Chunks<E> copyOf(List<E> list) {
    if (list instanceof Chunks<E> same) {
      return same;
    }
    Object[] all = list.toArray();
    Object[][] chunks = new Object[(all.length + CHUNK - 1) >> SHIFT][];
    for (int i = 0; i < chunks.length; i++) {
      chunks[i] = Arrays.copyOfRange(all, i << SHIFT, Math.min(all.length, (i + 1) << SHIFT));
    }
    for (Object element : all) {
      Objects.requireNonNull(element);
    }
    return new Chunks<>(chunks, all.length);
  }

  @Override
  @SuppressWarnings("unchecked") // only elements of E are put in
  public E get(int index) {
    Objects.checkIndex(index, size);
    return (E) chunks[index >> SHIFT][index & (CHUNK - 1)];
  }

  @Override
  public int size() {
    return size;
  }

  /** Begins a changed copy. */
  Edit<E> edit() {
    return new Edit<>(this);
  }

  /** A changed copy that is being made, inside of one method. */
  static final class Edit<E> {
    private final Chunks<E> from;
    private Object[][] chunks;

    private Edit(Chunks<E> from) {
      this.from = from;
      this.chunks = from.chunks;
    }

    /** Replaces one element. */
    void set(int index, E element) {
      Objects.checkIndex(index, from.size);
      Objects.requireNonNull(element);
      if (chunks == from.chunks) {
        chunks = from.chunks.clone();
      }
      int chunk = index >> SHIFT;
      if (chunks[chunk] == from.chunks[chunk]) {
        chunks[chunk] = from.chunks[chunk].clone();
      }
      chunks[chunk][index & (CHUNK - 1)] = element;
    }

    /** The copy, or the list itself when nothing was replaced. */
    Chunks<E> done() {
      return chunks == from.chunks ? from : new Chunks<>(chunks, from.size);
    }
  }
}
