package io.sluice.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.testkit.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.apache.arrow.flight.impl.Flight.FlightData;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FlightFramesTest {
  private static final int MAX = 1 << 20;
  private final BufferAllocator allocator = new RootAllocator();

  @AfterEach
  void nothingLeaks() {
    allocator.close();
  }

  /** A stream with a known length, as gRPC's are. */
  private static final class Known extends ByteArrayInputStream implements KnownLength {
    Known(byte[] bytes) {
      super(bytes);
    }
  }

  private static FlightData message(SplittableRandom random) {
    FlightData.Builder data = FlightData.newBuilder();
    if (random.nextBoolean()) {
      data.setFlightDescriptor(
          FlightDescriptor.newBuilder()
              .setType(FlightDescriptor.DescriptorType.CMD)
              .setCmd(bytes(random, 200)));
    }
    if (random.nextBoolean()) {
      data.setDataHeader(bytes(random, 500));
    }
    if (random.nextBoolean()) {
      data.setAppMetadata(
          ScanMetadata.newBuilder().setBucket(random.nextInt()).build().toByteString());
    }
    if (random.nextBoolean()) {
      data.setDataBody(bytes(random, 100_000));
    }
    return data.build();
  }

  private static ByteString bytes(SplittableRandom random, int bound) {
    byte[] bytes = new byte[random.nextInt(bound)];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private static void assertSame(FlightFrame frame, FlightData data) {
    if (data.hasFlightDescriptor()) {
      assertThat(frame.descriptor()).isEqualTo(data.getFlightDescriptor());
    } else {
      assertThat(frame.descriptor()).isNull();
    }
    assertThat(ByteString.copyFrom(frame.dataHeader())).isEqualTo(data.getDataHeader());
    assertThat(ByteString.copyFrom(frame.appMetadata())).isEqualTo(data.getAppMetadata());
    assertThat(frame.bodyLength()).isEqualTo(data.getDataBody().size());
    ArrowBuf body = frame.body();
    if (body != null) {
      assertThat(ByteString.copyFrom(body.nioBuffer(0, frame.bodyLength())))
          .isEqualTo(data.getDataBody());
    }
    assertThat(frame.wireBytes()).isEqualTo(data.getSerializedSize());
  }

  @Test
  void readsWhatArrowsOwnMessagesWrite() {
    Seeds.run(
        200,
        (seed, random) -> {
          FlightData data = message(random);
          byte[] bytes = data.toByteArray();
          InputStream stream =
              random.nextBoolean() ? new Known(bytes) : new ByteArrayInputStream(bytes);
          try (FlightFrame frame = FlightFrames.parse(stream, allocator, MAX)) {
            assertSame(frame, data);
          }
        });
  }

  @Test
  void writesWhatArrowsOwnMessagesReadInBothTransfers() {
    Seeds.run(
        200,
        (seed, random) -> {
          FlightData data = message(random);
          Marshaller<OutboundFrame> marshaller =
              random.nextBoolean() ? FlightFrames.outbound() : FlightFrames.outboundCopying();
          try (OutboundFrame frame = outbound(data);
              InputStream stream = marshaller.stream(frame)) {
            assertThat(frame.wireBytes()).isEqualTo(data.getSerializedSize());
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            int drained = ((io.grpc.Drainable) stream).drainTo(out);
            assertThat(drained).isEqualTo(data.getSerializedSize());
            assertThat(FlightData.parseFrom(out.toByteArray())).isEqualTo(data);
          }
        });
  }

  @Test
  void isReadAsAPlainStreamToo() throws Exception {
    FlightData data = message(new SplittableRandom(5));
    try (OutboundFrame frame = outbound(data);
        InputStream stream = FlightFrames.outbound().stream(frame)) {
      int first = stream.read();
      byte[] rest = stream.readAllBytes();
      assertThat(first).isEqualTo(data.toByteArray()[0] & 0xFF);
      assertThat(rest).isEqualTo(data.toByteString().substring(1).toByteArray());
      assertThat(stream.read()).isEqualTo(-1);
    }
  }

  @Test
  void aBodyIsTakenOverByAMessageThatCannotBeMadeToo() {
    MessageLite broken =
        (MessageLite)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MessageLite.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("getSerializedSize")) {
                    return 4;
                  }
                  throw new IllegalStateException("broken");
                });
    for (int length : new int[] {0, 100}) {
      ByteBuf body = Unpooled.directBuffer(100).writeZero(length);
      assertThatThrownBy(() -> OutboundFrame.of(null, null, broken, body)).hasMessage("broken");
      assertThat(body.refCnt()).as("body of %d bytes", length).isZero();
    }
  }

  private OutboundFrame outbound(FlightData data) throws Exception {
    FlightDescriptor descriptor = data.hasFlightDescriptor() ? data.getFlightDescriptor() : null;
    ByteBuffer header = data.getDataHeader().asReadOnlyByteBuffer();
    ScanMetadata metadata =
        data.getAppMetadata().isEmpty() ? null : ScanMetadata.parseFrom(data.getAppMetadata());
    if (data.getDataBody().isEmpty()) {
      return OutboundFrame.of(descriptor, header, metadata);
    }
    try (ArrowBuf body = allocator.buffer(data.getDataBody().size())) {
      body.setBytes(0, data.getDataBody().asReadOnlyByteBuffer());
      return OutboundFrame.of(descriptor, header, metadata, body, data.getDataBody().size());
    }
  }

  @Test
  void skipsFieldsItDoesNotKnowAndTakesTheLastOfRepeatedOnes() {
    FlightData one = FlightData.newBuilder().setDataBody(ByteString.copyFromUtf8("one")).build();
    FlightData two =
        FlightData.newBuilder()
            .setDataBody(ByteString.copyFromUtf8("two"))
            .setUnknownFields(
                com.google.protobuf.UnknownFieldSet.newBuilder()
                    .addField(
                        77,
                        com.google.protobuf.UnknownFieldSet.Field.newBuilder()
                            .addVarint(-1)
                            .addFixed32(4)
                            .addFixed64(8)
                            .addLengthDelimited(ByteString.copyFrom(new byte[100]))
                            .build())
                    .build())
            .build();
    byte[] bytes = one.toByteString().concat(two.toByteString()).toByteArray();
    try (FlightFrame frame = FlightFrames.parse(new Known(bytes), allocator, MAX)) {
      assertThat(ByteString.copyFrom(frame.body().nioBuffer(0, 3)).toStringUtf8()).isEqualTo("two");
    }
  }

  @Test
  void aMessageCutAtAnyByteIsRefusedOrShorter() {
    FlightData data =
        FlightData.newBuilder()
            .setFlightDescriptor(FlightDescriptor.newBuilder().addPath("demo").addPath("t"))
            .setDataHeader(ByteString.copyFrom(new byte[20]))
            .setAppMetadata(ByteString.copyFrom(new byte[30]))
            .setDataBody(ByteString.copyFrom(new byte[300]))
            .build();
    byte[] whole = data.toByteArray();
    int refused = 0;
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(whole, length);
      for (InputStream stream : new InputStream[] {new Known(cut), new ByteArrayInputStream(cut)}) {
        try (FlightFrame frame = FlightFrames.parse(stream, allocator, MAX)) {
          assertThat(frame.body()).isNull();
        } catch (StatusRuntimeException e) {
          assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
          refused++;
        }
      }
    }
    assertThat(refused).isEqualTo(2 * (whole.length - 4));
  }

  @Test
  void mutatedMessagesAreRefusedOrRead() {
    Seeds.run(
        2000,
        (seed, random) -> {
          byte[] bytes = message(random).toByteArray();
          if (bytes.length == 0) {
            return;
          }
          for (int i = random.nextInt(1, 5); i > 0; i--) {
            int at = random.nextBoolean() ? random.nextInt(bytes.length) : random.nextInt(8);
            bytes[at % bytes.length] = (byte) random.nextInt(256);
          }
          InputStream stream =
              random.nextBoolean() ? new Known(bytes) : new ByteArrayInputStream(bytes);
          try (FlightFrame frame = FlightFrames.parse(stream, allocator, MAX)) {
            assertThat(frame.bodyLength()).isLessThanOrEqualTo(bytes.length);
          } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
          }
        });
  }

  @Test
  void aLargerMessageThanAllowedIsRefusedBeforeMemoryIsTaken() {
    byte[] bytes =
        FlightData.newBuilder()
            .setDataBody(ByteString.copyFrom(new byte[MAX]))
            .build()
            .toByteArray();
    assertThatThrownBy(() -> FlightFrames.parse(new Known(bytes), allocator, MAX))
        .hasMessageContaining("at most " + MAX);
    assertThatThrownBy(() -> FlightFrames.parse(new ByteArrayInputStream(bytes), allocator, MAX))
        .isInstanceOf(StatusRuntimeException.class);
    assertThat(allocator.getPeakMemoryAllocation()).isZero();
  }

  @Test
  void anExhaustedAllocatorIsBackPressure() {
    byte[] bytes =
        FlightData.newBuilder()
            .setDataBody(ByteString.copyFrom(new byte[100_000]))
            .build()
            .toByteArray();
    try (BufferAllocator small = allocator.newChildAllocator("small", 0, 1024)) {
      assertThatThrownBy(() -> FlightFrames.parse(new Known(bytes), small, MAX))
          .satisfies(
              e ->
                  assertThat(StatusMapping.fromStatus(e).code()).isEqualTo(ErrorCode.BACKPRESSURE));
    }
  }

  @Test
  void aDamagedMessageReachesTheReceiverAsAFrameThatSaysSo() {
    Marshaller<FlightFrame> marshaller = FlightFrames.inbound(allocator, MAX);
    try (FlightFrame frame = marshaller.parse(new Known(new byte[] {0x12, 0x7F}))) {
      assertThatThrownBy(frame::dataHeader)
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT));
      assertThatThrownBy(frame::requireIntact).hasMessageContaining("field 2");
    }
  }

  @Test
  void anArrowBufferIsHeldUntilItsViewIsReleased() {
    ArrowBuf source = allocator.buffer(64);
    source.setBytes(0, "abcdefgh".getBytes());
    ByteBuf view = ArrowByteBuf.wrap(source, 2, 4);
    source.close();
    assertThat(allocator.getAllocatedMemory()).isPositive();
    assertThat(view.toString(java.nio.charset.StandardCharsets.US_ASCII)).isEqualTo("cdef");
    ByteBuf all = Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(new byte[] {1}), view);
    assertThat(all.readableBytes()).isEqualTo(5);
    all.release();
    assertThat(allocator.getAllocatedMemory()).isZero();
  }

  @Test
  void closingAFrameTwiceReleasesOnce() {
    byte[] bytes =
        FlightData.newBuilder().setDataBody(ByteString.copyFromUtf8("body")).build().toByteArray();
    FlightFrame frame = FlightFrames.parse(new Known(bytes), allocator, MAX);
    frame.body().getReferenceManager().retain();
    ArrowBuf kept = frame.body();
    frame.close();
    frame.close();
    assertThat(kept.getByte(0)).isEqualTo((byte) 'b');
    kept.close();
  }

  @Test
  void theErrorOfAHostileMessageIsOurs() {
    assertThatThrownBy(() -> FlightFrames.parse(new Known(new byte[] {0x00}), allocator, MAX))
        .satisfies(
            e ->
                assertThat(StatusMapping.fromStatus(e))
                    .isInstanceOf(SluiceException.class)
                    .hasMessageContaining("number 0"));
  }
}
