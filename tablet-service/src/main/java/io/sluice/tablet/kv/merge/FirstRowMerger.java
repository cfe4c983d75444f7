package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The first row of a key stays; later ones change nothing. */
final class FirstRowMerger implements RowMerger {

  @Override
  public @Nullable Row merge(@Nullable Row before, Row put, BitSet written) {
    return before == null ? put : null;
  }

  @Override
  public boolean isPlain() {
    return false;
  }
}
