package io.sluice.format.batch;

import io.sluice.format.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.List;

/** Short forms for tests. */
final class Batches {
  private Batches() {}

  static void validate(BatchValidator validator, TableSchema schema, EncodedBatch batch) {
    validator.validate(
        schema,
        batch.header(),
        batch.changeTypes(),
        batch.statistics(),
        batch.metadata(),
        batch.checksums(),
        batch.bodyBytes());
  }

  /** The whole batch as it is stored, padding included, on the heap. */
  static byte[] wire(EncodedBatch batch) {
    ByteBuffer wire = ByteBuffer.allocate(batch.wireBytes());
    wire.put(batch.header().bytes());
    List<ByteBuffer> sections = batch.sections();
    sections.forEach(wire::put);
    return wire.array();
  }
}
