package io.sluice.tablet.kv;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.merge.ChangelogImage;
import io.sluice.format.merge.MergeEngine;
import io.sluice.format.merge.MergeRules;
import io.sluice.format.row.RowCodec;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataType.IntegerType;
import io.sluice.format.schema.TableSchema;
import io.sluice.tablet.kv.merge.RowMerger;
import org.apache.arrow.vector.types.pojo.Schema;

/** What evaluating puts by the rules of a table needs, until they change. Not thread-safe. */
final class RowRules {
  private final KvRules of;
  private final RowCodec codec;
  private final Schema arrow;
  private final RowMerger merger;

  RowRules(KvRules of) {
    this.of = of;
    this.codec = RowCodec.of(of.schema());
    this.arrow = ArrowSchemas.toArrow(of.schema());
    this.merger = RowMerger.of(of.schema(), of.merge());
  }

  /** What this was made of. */
  KvRules of() {
    return of;
  }

  TableSchema schema() {
    return of.schema();
  }

  MergeRules merge() {
    return of.merge();
  }

  /** The codec of the current schema. */
  RowCodec codec() {
    return codec;
  }

  /** The current schema as Arrow has it. */
  Schema arrow() {
    return arrow;
  }

  RowMerger merger() {
    return merger;
  }

  /** Whether the changelog has rows before. */
  boolean full() {
    return of.merge().changelogImage() == ChangelogImage.FULL;
  }

  /** Whether the first row stays, whatever is put. */
  boolean firstRow() {
    return of.merge().engine() == MergeEngine.FIRST_ROW;
  }

  /** The id, when the auto-increment column holds it; IDS_EXHAUSTED otherwise. */
  long checkId(long id) {
    Column column = of.schema().columns().get(of.merge().autoIncrementColumn());
    boolean narrow = column.type() instanceof IntegerType integer && integer.bits() == 32;
    if (narrow && id > Integer.MAX_VALUE) {
      throw new SluiceException(
          ErrorCode.IDS_EXHAUSTED,
          "Column '"
              + column.name()
              + "' (INT) has no more ids to give: the next one is "
              + id
              + "; widen it to BIGINT");
    }
    return id;
  }

  /** Whether nothing but a row that is put whole decides what becomes of it. */
  boolean blind() {
    return !full()
        && merger.isPlain()
        && of.merge().rowTtl().isZero()
        && of.merge().autoIncrementColumn() < 0;
  }
}
