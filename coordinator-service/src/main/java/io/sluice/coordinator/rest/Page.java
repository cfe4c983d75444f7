package io.sluice.coordinator.rest;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.List;

/**
 * A part of a list.
 *
 * @param items the part
 * @param total how many there are in all, after filters
 * @param offset position of the first item
 * @param limit how many were asked for
 */
public record Page<T>(List<T> items, int total, int offset, int limit) {
  static final String DEFAULT_LIMIT = "100";
  private static final int MAX_LIMIT = 1000;

  /** The part of all items that a request asks for; INVALID_ARGUMENT when out of range. */
  static <T> Page<T> of(List<T> all, int offset, int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "limit is " + limit + "; it must be between 1 and " + MAX_LIMIT);
    }
    if (offset < 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "offset is " + offset + "; it must be 0 or larger");
    }
    int from = Math.min(offset, all.size());
    int to = Math.min(all.size(), from + limit);
    return new Page<>(List.copyOf(all.subList(from, to)), all.size(), offset, limit);
  }
}
