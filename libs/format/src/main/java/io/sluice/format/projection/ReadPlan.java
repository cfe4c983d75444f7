package io.sluice.format.projection;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Which parts of a stored body are read for the wanted ranges. Ranges closer than {@link
 * #MERGE_GAP_BYTES} share a read; when {@link #WHOLE_BODY_PERCENT} of the body is wanted, one read
 * takes all of it.
 */
final class ReadPlan {
  /** Reading so many unwanted bytes costs less than another read. */
  static final int MERGE_GAP_BYTES = 16 * 1024;

  /** From this share on the whole body is read. */
  static final int WHOLE_BODY_PERCENT = 60;

  private final int[] order;
  private final int[] firsts;
  private final int[] offsets;
  private final int[] lengths;
  private final int[] directTargets;
  private int count;

  private ReadPlan(int[] order) {
    this.order = order;
    firsts = new int[order.length + 1];
    offsets = new int[order.length];
    lengths = new int[order.length];
    directTargets = new int[order.length];
  }

  static ReadPlan of(BufferRanges ranges, int bodyLength) {
    ReadPlan plan = new ReadPlan(order(ranges));
    if (ranges.count() == 0) {
      return plan;
    }
    if (ranges.bytes() * 100 >= (long) bodyLength * WHOLE_BODY_PERCENT) {
      plan.add(ranges, 0, ranges.count(), 0, bodyLength);
      return plan;
    }
    int first = 0;
    while (first < ranges.count()) {
      int start = ranges.source(plan.order[first]);
      int end = start + ranges.length(plan.order[first]);
      int next = first + 1;
      while (next < ranges.count() && ranges.source(plan.order[next]) - end < MERGE_GAP_BYTES) {
        end = Math.max(end, ranges.source(plan.order[next]) + ranges.length(plan.order[next]));
        next++;
      }
      plan.add(ranges, first, next, start, end - start);
      first = next;
    }
    return plan;
  }

  private static int[] order(BufferRanges ranges) {
    int[] order = new int[ranges.count()];
    boolean sorted = true;
    for (int i = 0; i < order.length; i++) {
      order[i] = i;
      sorted &= i == 0 || ranges.source(i - 1) <= ranges.source(i);
    }
    if (sorted) {
      return order;
    }
    return IntStream.of(order)
        .boxed()
        .sorted(Comparator.comparingInt(ranges::source))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private void add(BufferRanges ranges, int first, int end, int offset, int length) {
    firsts[count] = first;
    firsts[count + 1] = end;
    offsets[count] = offset;
    lengths[count] = length;
    directTargets[count] = direct(ranges, first, end, offset, length);
    count++;
  }

  /** A read is direct when all it holds keeps its distances in the new body. */
  private int direct(BufferRanges ranges, int first, int end, int offset, int length) {
    int shift = ranges.target(order[first]) - ranges.source(order[first]);
    int at = offset;
    for (int i = first; i < end; i++) {
      int range = order[i];
      if (ranges.source(range) != at
          || ranges.target(range) - at != shift
          || ranges.conversion(range) != BufferRanges.COPIED) {
        return -1;
      }
      at = at + ranges.length(range) + 7 & -8;
    }
    return offset + length <= at ? offset + shift : -1;
  }

  int count() {
    return count;
  }

  int offset(int read) {
    return offsets[read];
  }

  int length(int read) {
    return lengths[read];
  }

  int directTarget(int read) {
    return directTargets[read];
  }

  /**
   * Index, for {@link #range}, of the first range of a read; of the read after the last, the end.
   */
  int firstRange(int read) {
    return firsts[read];
  }

  /** The range at an index in the order of the stored body. */
  int range(int index) {
    return order[index];
  }
}
