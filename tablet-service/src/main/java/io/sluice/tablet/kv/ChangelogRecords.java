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
 * @param inputRowCount rows of the put, those without a record included
 * @param bytes Arrow bytes of the records, about
 */
record ChangelogRecords(
    TableSchema schema, VectorSchemaRoot root, byte[] changeTypes, int inputRowCount, long bytes) {

  int count() {
    return changeTypes.length;
  }
}
