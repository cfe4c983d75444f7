package io.sluice.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.flight.v1.StartAt;
import io.sluice.testkit.Seeds;
import org.junit.jupiter.api.Test;

class WireMessagesTest {
  private static final ScanTicket TICKET =
      ScanTicket.newBuilder()
          .setDatabase("demo")
          .setTable("flights")
          .addBuckets(
              BucketScan.newBuilder().setBucket(2).setStartAt(StartAt.START_OFFSET).setStart(77))
          .addColumns("origin")
          .build();

  @Test
  void bothEncodingsAreRecognised() {
    for (WireEncoding encoding : WireEncoding.values()) {
      ByteString bytes = encoding.encode(TICKET);
      assertThat(WireEncoding.of(bytes)).isEqualTo(encoding);
      assertThat(WireMessages.parse(bytes, ScanTicket.getDefaultInstance())).isEqualTo(TICKET);
      assertThat(WireMessages.parse(bytes.asReadOnlyByteBuffer(), ScanTicket.getDefaultInstance()))
          .isEqualTo(TICKET);
    }
  }

  @Test
  void nothingIsTheEmptyMessageAndAnsweredInJson() {
    assertThat(WireMessages.parse(ByteString.EMPTY, ScanTicket.getDefaultInstance()))
        .isEqualTo(ScanTicket.getDefaultInstance());
    assertThat(WireEncoding.of(ByteString.EMPTY)).isEqualTo(WireEncoding.JSON);
  }

  @Test
  void anUnknownJsonFieldIsNamed() {
    ByteString json = ByteString.copyFromUtf8("{\"database\":\"demo\",\"colums\":[\"a\"]}");
    assertThatThrownBy(
            () ->
                WireMessages.parse(json, ScanTicket.getDefaultInstance(), ErrorCode.INVALID_TICKET))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_TICKET))
        .hasMessageContaining("colums")
        .hasMessageContaining("ScanTicket");
  }

  @Test
  void sizeIsBounded() {
    ByteString large = ByteString.copyFrom(new byte[WireMessages.MAX_BYTES + 1]);
    assertThatThrownBy(() -> WireMessages.parse(large, ScanTicket.getDefaultInstance()))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("at most");
  }

  @Test
  void damagedMessagesAreRefusedAndNothingElse() {
    Seeds.run(
        200,
        (seed, random) -> {
          for (WireEncoding encoding : WireEncoding.values()) {
            byte[] bytes = encoding.encode(TICKET).toByteArray();
            for (int i = random.nextInt(1, 6); i > 0; i--) {
              bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            try {
              WireMessages.parse(ByteString.copyFrom(bytes), ScanTicket.getDefaultInstance());
            } catch (SluiceException e) {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            }
          }
        });
  }

  @Test
  void deeplyNestedJsonIsRefused() {
    String deep = "{\"buckets\":" + "[".repeat(100_000);
    assertThatThrownBy(
            () ->
                WireMessages.parse(ByteString.copyFromUtf8(deep), ScanTicket.getDefaultInstance()))
        .isInstanceOf(SluiceException.class);
  }
}
