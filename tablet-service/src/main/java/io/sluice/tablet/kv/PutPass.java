package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.merge.DeleteBehavior;
import io.sluice.format.row.ByteAccumulator;
import io.sluice.format.row.Row;
import io.sluice.format.row.RowCodec;
import io.sluice.format.row.VectorRowEncoder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The rows of one put, one after another: each finds what those before have left. */
final class PutPass {
  private static final int EXPECTED_ROW_BYTES = 256;

  private final RowRules rules;
  private final PutMapping mapping;
  private final PutRows put;
  private final IdSource ids;
  private final ChangelogBuilder changelog;
  private final boolean blind;
  private final RowCodec codec;
  private final MergedRow merged;
  private final VectorRowEncoder encoder;
  private final ByteAccumulator scratch = new ByteAccumulator(EXPECTED_ROW_BYTES);

  /**
   * @param blind upserts are taken without the row before, which was not read
   */
  PutPass(
      RowRules rules,
      PutMapping mapping,
      PutRows put,
      IdSource ids,
      ChangelogBuilder changelog,
      boolean blind) {
    this.rules = rules;
    this.mapping = mapping;
    this.put = put;
    this.ids = ids;
    this.changelog = changelog;
    this.blind = blind;
    this.codec = rules.codec();
    this.merged = new MergedRow(mapping);
    this.encoder = mapping.encoder(codec, put.root());
  }

  /** Takes a row of the put. */
  void take(int index, RowSlot slot) {
    if (put.isDelete(index)) {
      remove(slot);
      return;
    }
    put.row().at(index);
    if (blind) {
      overwrite(index, slot);
    } else {
      upsert(index, slot);
    }
  }

  private void overwrite(int index, RowSlot slot) {
    scratch.clear();
    encoder.encode(index, null, merged.of(put.row(), null), scratch);
    byte[] after = scratch.toByteArray();
    changelog.update(slot.key(), after);
    slot.leave(after);
  }

  private void upsert(int index, RowSlot slot) {
    byte[] before = visible(slot);
    if (before == null) {
      insert(index, slot);
    } else if (!rules.firstRow() && merge(index, before)) {
      replace(slot, before);
    }
  }

  private void insert(int index, RowSlot slot) {
    if (mapping.idColumn() >= 0) {
      merged.nextId(rules.checkId(ids.next()));
    }
    if (merge(index, null)) {
      dropExpired(slot);
      byte[] after = scratch.toByteArray();
      changelog.insert(slot.key(), after);
      slot.leave(after);
    }
  }

  /** Puts the value of the row after into the scratch bytes; false when the put changes nothing. */
  private boolean merge(int index, byte @Nullable [] before) {
    scratch.clear();
    if (rules.merger().isPlain()) {
      encoder.encode(index, before, merged.of(put.row(), null), scratch);
      return true;
    }
    Row rowBefore = before == null ? null : codec.decode(before);
    Row upserted = merged.of(put.row(), rowBefore);
    Row after = rules.merger().merge(rowBefore, upserted, mapping.written());
    if (after == null) {
      return false;
    }
    if (after == upserted) {
      encoder.encode(index, before, upserted, scratch);
    } else {
      codec.encode(after, 0, scratch);
    }
    return true;
  }

  /** Records the row in the scratch bytes, unless it is the row before. */
  private void replace(RowSlot slot, byte[] before) {
    if (Arrays.equals(
        before,
        RowCodec.HEADER_SIZE,
        before.length,
        scratch.array(),
        RowCodec.HEADER_SIZE,
        scratch.length())) {
      return;
    }
    byte[] after = scratch.toByteArray();
    if (rules.full()) {
      changelog.update(slot.key(), before, after);
    } else {
      changelog.update(slot.key(), after);
    }
    slot.leave(after);
  }

  private void remove(RowSlot slot) {
    DeleteBehavior behavior = rules.merge().deleteBehavior();
    if (behavior == DeleteBehavior.DISABLE) {
      throw new SluiceException(
          ErrorCode.DELETE_DISABLED,
          "it deletes, and the table takes no deletes ('table.delete.behavior' = 'disable'); put"
              + " the other rows without it");
    }
    if (behavior == DeleteBehavior.IGNORE) {
      return;
    }
    byte[] before = slot.value();
    if (before == null) {
      return;
    }
    if (!put.partial() || slot.expired()) {
      // Of an expired row also a partial delete: nobody sees it any more, so it has no columns.
      changelog.delete(slot.key(), before);
      slot.leave(null);
      return;
    }
    scratch.clear();
    codec.encode(merged.cleared(codec.decode(before)), 0, scratch);
    replace(slot, before);
  }

  private static byte @Nullable [] visible(RowSlot slot) {
    return slot.expired() ? null : slot.value();
  }

  /** A new row takes the place of one that has expired. */
  private void dropExpired(RowSlot slot) {
    byte[] before = slot.value();
    if (before != null) {
      changelog.delete(slot.key(), before);
    }
  }
}
