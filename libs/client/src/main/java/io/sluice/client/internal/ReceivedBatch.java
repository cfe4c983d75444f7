package io.sluice.client.internal;

import io.sluice.protocol.flight.FlightFrame;
import io.sluice.protocol.flight.v1.ScanMetadata;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A batch that waits to be polled. Owns the frame.
 *
 * @param stream where it came from, to be asked for more
 * @param schema schema of its columns
 * @param position its bucket and offsets
 * @param frame the message
 */
record ReceivedBatch(ScanStream stream, Schema schema, ScanMetadata position, FlightFrame frame)
    implements AutoCloseable {
  int bytes() {
    return frame.wireBytes();
  }

  @Override
  public void close() {
    frame.close();
  }
}
