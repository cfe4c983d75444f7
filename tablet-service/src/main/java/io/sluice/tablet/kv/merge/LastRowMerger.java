package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The last row of a key wins. */
final class LastRowMerger implements RowMerger {

  @Override
  public Row merge(@Nullable Row before, Row put, BitSet written) {
    return put;
  }

  @Override
  public boolean isPlain() {
    return true;
  }
}
