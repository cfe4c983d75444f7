package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Channel;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.protocol.flight.v1.Command;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.PutAnswer;
import io.sluice.protocol.flight.v1.PutMetadata;
import io.sluice.testkit.Await;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.impl.Flight.FlightData;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor;
import org.apache.arrow.flight.impl.Flight.PutResult;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Builds the messages of native puts and keeps one stream of them. */
final class NativeUpload {
  private final RawCall call;

  NativeUpload(Channel channel, NativePut put) {
    call = RawCall.put(channel);
    call.send(FlightData.newBuilder().setFlightDescriptor(descriptor(put)).build().toByteArray());
  }

  RawCall call() {
    return call;
  }

  void send(FlightData message) {
    call.send(message.toByteArray());
  }

  /** Waits for so many answers, in the order of arrival. */
  List<PutAnswer> answers(int count) {
    Await.until(count + " answers", FlightHarness.SOON, () -> call.answers().size() >= count);
    List<PutAnswer> answers = new ArrayList<>();
    for (byte[] each : call.answers()) {
      try {
        answers.add(PutAnswer.parseFrom(PutResult.parseFrom(each).getAppMetadata()));
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
    }
    return answers;
  }

  static FlightDescriptor descriptor(NativePut put) {
    return FlightDescriptor.newBuilder()
        .setType(FlightDescriptor.DescriptorType.CMD)
        .setCmd(Command.newBuilder().setNativePut(put).build().toByteString())
        .build();
  }

  /** A message with the rows {@code [from, to)} of the events table. */
  static FlightData message(
      BufferAllocator allocator,
      long requestId,
      int bucket,
      long from,
      long to,
      BatchWriter writer) {
    return message(allocator, requestId, bucket, from, to, writer, -1);
  }

  static FlightData message(
      BufferAllocator allocator,
      long requestId,
      int bucket,
      long from,
      long to,
      BatchWriter writer,
      long ackedThrough) {
    return message(allocator, requestId, bucket, from, to, writer, ackedThrough, 0);
  }

  static FlightData message(
      BufferAllocator allocator,
      long requestId,
      int bucket,
      long from,
      long to,
      BatchWriter writer,
      long ackedThrough,
      long partitionId) {
    try (VectorSchemaRoot root = Events.fill(Events.root(allocator), from, to);
        LogBatchEncoder encoder = new LogBatchEncoder(allocator, CompressionSettings.defaults());
        EncodedBatch batch = encoder.encode(root, FlightHarness.eventsSchema(), writer)) {
      PutMetadata metadata =
          PutMetadata.newBuilder()
              .setRequestId(requestId)
              .setPartitionId(partitionId)
              .setBucket(bucket)
              .setAckedThrough(ackedThrough)
              .setHeader(bytes(batch.header().bytes()))
              .setChangeTypes(bytes(batch.changeTypes()))
              .setStatistics(bytes(batch.statistics()))
              .setChecksums(bytes(batch.checksums()))
              .build();
      return FlightData.newBuilder()
          .setAppMetadata(metadata.toByteString())
          .setDataHeader(bytes(batch.metadata()))
          .setDataBody(bytes(batch.bodyBytes()))
          .build();
    }
  }

  private static ByteString bytes(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return UnsafeByteOperations.unsafeWrap(copy);
  }
}
