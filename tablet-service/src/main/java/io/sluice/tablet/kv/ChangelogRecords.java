package io.sluice.tablet.kv;

import io.sluice.format.batch.ChangeType;
import io.sluice.format.schema.TableSchema;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * The records of a changelog that is not stored yet.
 *
 * @param schema schema of the records
 * @param root the records, owned
 * @param changeTypes a {@link ChangeType} code a record
 * @param inputRows by record, the row of the put it comes from; ascending
 * @param inputRowCount rows of the put, those without a record included
 * @param bytes Arrow bytes of the records, about
 */
record ChangelogRecords(
    TableSchema schema,
    VectorSchemaRoot root,
    byte[] changeTypes,
    int[] inputRows,
    int inputRowCount,
    long bytes) {

  int count() {
    return changeTypes.length;
  }

  /** Rows of the put that the records before {@code endRecord} account for. */
  int rowsThrough(int endRecord) {
    return endRecord == count() ? inputRowCount : inputRows[endRecord];
  }

  /**
   * Where a batch that should end before {@code record} may end: there, or one record earlier when
   * that would part a -U from its +U.
   */
  int cutAt(int record) {
    boolean parts =
        record > 0 && record < count() && changeTypes[record] == ChangeType.UPDATE_AFTER.code();
    return parts ? record - 1 : record;
  }
}
