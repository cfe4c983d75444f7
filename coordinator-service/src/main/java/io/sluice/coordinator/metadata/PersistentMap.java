package io.sluice.coordinator.metadata;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map: a change makes a new map that shares all but O(log n) nodes with the old
 * one, so an image of the cluster costs little to make and nothing to keep. An AVL tree; iteration
 * is in key order, which also makes snapshots deterministic.
 *
 * @param <K> key
 * @param <V> value
 */
public final class PersistentMap<K extends Comparable<? super K>, V>
    implements Iterable<PersistentMap.Entry<K, V>> {
  private final @Nullable Node<K, V> root;
  private final int size;

  /** A key with its value. */
  public interface Entry<K, V> {
    K key();

    V value();
  }

  private record Node<K, V>(
      K key, V value, @Nullable Node<K, V> left, @Nullable Node<K, V> right, int height)
      implements Entry<K, V> {}

  private PersistentMap(@Nullable Node<K, V> root, int size) {
    this.root = root;
    this.size = size;
  }

  /** The map without entries. */
  public static <K extends Comparable<? super K>, V> PersistentMap<K, V> empty() {
    return new PersistentMap<>(null, 0);
  }

  /** Number of entries. */
  public int size() {
    return size;
  }

  /** The value of the key, or null. */
  public @Nullable V get(K key) {
    Node<K, V> node = root;
    while (node != null) {
      int order = key.compareTo(node.key);
      if (order == 0) {
        return node.value;
      }
      node = order < 0 ? node.left : node.right;
    }
    return null;
  }

  /** Whether the key has a value. */
  public boolean containsKey(K key) {
    return get(key) != null;
  }

  /** This map with the key set to the value. */
  public PersistentMap<K, V> with(K key, V value) {
    boolean replaces = containsKey(key);
    return new PersistentMap<>(insert(root, key, value), replaces ? size : size + 1);
  }

  /** This map without the key. */
  public PersistentMap<K, V> without(K key) {
    return containsKey(key) ? new PersistentMap<>(remove(root, key), size - 1) : this;
  }

  /**
   * This map with each value replaced by what the function gives for it, in one walk; what does not
   * change is shared.
   *
   * @param change called in key order; gives the same object for what stays
   */
  public PersistentMap<K, V> mapValues(UnaryOperator<V> change) {
    Node<K, V> mapped = mapValues(root, change);
    return mapped == root ? this : new PersistentMap<>(mapped, size);
  }

  private static <K, V> @Nullable Node<K, V> mapValues(
      @Nullable Node<K, V> node, UnaryOperator<V> change) {
    if (node == null) {
      return null;
    }
    Node<K, V> left = mapValues(node.left, change);
    V value = change.apply(node.value);
    Node<K, V> right = mapValues(node.right, change);
    return left == node.left && right == node.right && value == node.value
        ? node
        : new Node<>(node.key, value, left, right, node.height);
  }

  @Override
  public Iterator<Entry<K, V>> iterator() {
    return new InOrder<>(root);
  }

  /** Walks the tree with a stack as deep as the tree is high. */
  private static final class InOrder<K, V> implements Iterator<Entry<K, V>> {
    private final ArrayDeque<Node<K, V>> path = new ArrayDeque<>();

    InOrder(@Nullable Node<K, V> root) {
      descend(root);
    }

    private void descend(@Nullable Node<K, V> from) {
      for (Node<K, V> node = from; node != null; node = node.left) {
        path.push(node);
      }
    }

    @Override
    public boolean hasNext() {
      return !path.isEmpty();
    }

    @Override
    public Entry<K, V> next() {
      if (path.isEmpty()) {
        throw new NoSuchElementException();
      }
      Node<K, V> node = path.pop();
      descend(node.right);
      return node;
    }
  }

  private static <K extends Comparable<? super K>, V> Node<K, V> insert(
      @Nullable Node<K, V> node, K key, V value) {
    if (node == null) {
      return new Node<>(key, value, null, null, 1);
    }
    int order = key.compareTo(node.key);
    if (order == 0) {
      return new Node<>(key, value, node.left, node.right, node.height);
    }
    return order < 0
        ? balanced(node, insert(node.left, key, value), node.right)
        : balanced(node, node.left, insert(node.right, key, value));
  }

  private static <K extends Comparable<? super K>, V> @Nullable Node<K, V> remove(
      @Nullable Node<K, V> node, K key) {
    if (node == null) {
      return null;
    }
    int order = key.compareTo(node.key);
    if (order < 0) {
      return balanced(node, remove(node.left, key), node.right);
    }
    if (order > 0) {
      return balanced(node, node.left, remove(node.right, key));
    }
    if (node.left == null) {
      return node.right;
    }
    if (node.right == null) {
      return node.left;
    }
    Node<K, V> successor = node.right;
    while (successor.left != null) {
      successor = successor.left;
    }
    return balanced(successor, node.left, remove(node.right, successor.key));
  }

  /** The entry of {@code middle} over two subtrees whose heights differ by at most two. */
  private static <K, V> Node<K, V> balanced(
      Node<K, V> middle, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
    int difference = height(left) - height(right);
    if (difference > 1 && left != null) {
      Node<K, V> inner = left.right;
      if (inner != null && height(inner) > height(left.left)) {
        return node(inner, node(left, left.left, inner.left), node(middle, inner.right, right));
      }
      return node(left, left.left, node(middle, inner, right));
    }
    if (difference < -1 && right != null) {
      Node<K, V> inner = right.left;
      if (inner != null && height(inner) > height(right.right)) {
        return node(inner, node(middle, left, inner.left), node(right, inner.right, right.right));
      }
      return node(right, node(middle, left, inner), right.right);
    }
    return node(middle, left, right);
  }

  private static <K, V> Node<K, V> node(
      Node<K, V> entry, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
    return new Node<>(
        entry.key, entry.value, left, right, 1 + Math.max(height(left), height(right)));
  }

  private static int height(@Nullable Node<?, ?> node) {
    return node == null ? 0 : node.height;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof PersistentMap<?, ?> that) || size != that.size) {
      return false;
    }
    Iterator<? extends Entry<?, ?>> theirs = that.iterator();
    for (Entry<K, V> mine : this) {
      Entry<?, ?> their = theirs.next();
      if (!mine.key().equals(their.key()) || !mine.value().equals(their.value())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    int hash = 0;
    for (Entry<K, V> entry : this) {
      hash = 31 * hash + (entry.key().hashCode() ^ entry.value().hashCode());
    }
    return hash;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    for (Entry<K, V> entry : this) {
      text.append(text.length() > 1 ? ", " : "").append(entry.key()).append('=');
      text.append(entry.value());
    }
    return text.append('}').toString();
  }
}
