package io.sluice.protocol.flight;

import com.google.protobuf.UnsafeByteOperations;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.PutMetadata;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * The messages that whoever puts natively sends: a client, or a tablet to the leader of a bucket.
 */
public final class PutFrames {
  private PutFrames() {}

  /** The descriptor that the first message of a stream carries. */
  public static Flight.FlightDescriptor descriptor(Command command) {
    return Flight.FlightDescriptor.newBuilder()
        .setType(Flight.FlightDescriptor.DescriptorType.CMD)
        .setCmd(command.toByteString())
        .build();
  }

  /**
   * One batch for a bucket. The small sections are copied here; the body is shared, the caller
   * keeps its own reference.
   *
   * @param descriptor for the first message, else null
   * @param requestId comes back in the answer
   * @param partitionId the bucket's partition, 0 when the table has none
   * @param ackedThrough last sequence of the bucket whose final answer is held, -1 for none
   */
  public static OutboundFrame batch(
      Flight.@Nullable FlightDescriptor descriptor,
      long requestId,
      long partitionId,
      int bucket,
      long ackedThrough,
      EncodedBatch batch) {
    PutMetadata metadata =
        PutMetadata.newBuilder()
            .setRequestId(requestId)
            .setPartitionId(partitionId)
            .setBucket(bucket)
            .setAckedThrough(ackedThrough)
            .setHeader(UnsafeByteOperations.unsafeWrap(batch.header().bytes()))
            .setChangeTypes(UnsafeByteOperations.unsafeWrap(batch.changeTypes()))
            .setStatistics(UnsafeByteOperations.unsafeWrap(batch.statistics()))
            .setChecksums(UnsafeByteOperations.unsafeWrap(batch.checksums()))
            .build();
    return OutboundFrame.of(descriptor, batch.metadata(), metadata, batch.bodyPieces());
  }
}
