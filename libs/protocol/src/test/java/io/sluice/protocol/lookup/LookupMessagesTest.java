package io.sluice.protocol.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.StatusRuntimeException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.kv.v1.LookupKind;
import io.sluice.protocol.kv.v1.LookupRequest;
import io.sluice.protocol.kv.v1.LookupResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The messages by hand are byte for byte those of the generated classes. */
class LookupMessagesTest {
  private static final Marshaller<LookupQuestion> QUESTIONS =
      LookupMethods.lookup().getRequestMarshaller();
  private static final Marshaller<LookupAnswer> ANSWERS =
      LookupMethods.lookup().getResponseMarshaller();

  private static byte[] drained(InputStream stream) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int announced = ((KnownLength) stream).available();
    assertThat(((Drainable) stream).drainTo(out)).isEqualTo(announced).isEqualTo(out.size());
    assertThat(stream.available()).isZero();
    return out.toByteArray();
  }

  private static byte[] bytes(Random random, int max) {
    byte[] bytes = new byte[random.nextInt(max)];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void questionsAreLookupRequests() throws Exception {
    Random random = new Random(7);
    for (LookupKind kind :
        List.of(
            LookupKind.LOOKUP_ROW, LookupKind.LOOKUP_PREFIX, LookupKind.LOOKUP_INSERT_IF_ABSENT)) {
      LookupRequest.Builder generated =
          LookupRequest.newBuilder()
              .setRequestId(random.nextLong())
              .setTableId(12)
              .setPartitionId(random.nextBoolean() ? 0 : 1L << 40)
              .setBucket(3)
              .setSchemaId(2)
              .setKind(kind)
              .setLimit(random.nextInt(5));
      for (int i = 0; i < 2000; i++) {
        generated.addKeys(ByteString.copyFrom(bytes(random, 300)));
      }
      byte[] wire = generated.build().toByteArray();
      LookupQuestion parsed = QUESTIONS.parse(new ByteArrayInputStream(wire));
      assertThat(parsed.kind()).isEqualTo(kind);
      assertThat(parsed.keys()).hasSize(2000);
      assertThat(drained(QUESTIONS.stream(parsed))).isEqualTo(wire);
      assertThat(QUESTIONS.stream(parsed).readAllBytes()).isEqualTo(wire);
    }
    LookupQuestion empty = QUESTIONS.parse(new ByteArrayInputStream(new byte[0]));
    assertThat(empty.kind()).isEqualTo(LookupKind.LOOKUP_ROW);
    assertThat(drained(QUESTIONS.stream(empty))).isEmpty();
  }

  @Test
  void answersAreLookupResponses() throws Exception {
    Random random = new Random(8);
    LookupResponse.Builder generated = LookupResponse.newBuilder().setRequestId(5);
    List<byte @Nullable []> values = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      byte[] value = bytes(random, 200);
      values.add(value.length == 0 ? null : value);
      generated.addValues(ByteString.copyFrom(value)).addRowCounts(i).addMissing(500 - i);
    }
    byte[] wire = generated.build().toByteArray();
    LookupAnswer parsed = ANSWERS.parse(new ByteArrayInputStream(wire));
    assertThat(parsed.values()).hasSize(500);
    for (int i = 0; i < 500; i++) {
      assertThat(Arrays.equals(parsed.values().get(i), values.get(i))).isTrue();
    }
    assertThat(parsed.failure()).isNull();
    assertThat(drained(ANSWERS.stream(parsed))).isEqualTo(wire);
    LookupAnswer refused =
        LookupAnswer.refused(9, new SluiceException(ErrorCode.NOT_LEADER, "elsewhere"));
    byte[] refusal = drained(ANSWERS.stream(refused));
    assertThat(LookupResponse.parseFrom(refusal).getError().getCode()).isEqualTo("NOT_LEADER");
    SluiceException failure = ANSWERS.parse(new ByteArrayInputStream(refusal)).failure();
    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.NOT_LEADER);
  }

  @Test
  void unknownFieldsKindsAndUnpackedNumbersAreRead() throws Exception {
    LookupRequest newer = LookupRequest.newBuilder().setRequestId(1).setKindValue(77).build();
    byte[] unknown = Arrays.copyOf(newer.toByteArray(), newer.getSerializedSize() + 3);
    // Field 100, a number.
    unknown[unknown.length - 3] = (byte) 0xA0;
    unknown[unknown.length - 2] = 6;
    unknown[unknown.length - 1] = 1;
    LookupQuestion parsed = QUESTIONS.parse(new ByteArrayInputStream(unknown));
    assertThat(parsed.requestId()).isEqualTo(1);
    assertThat(parsed.kind()).isEqualTo(LookupKind.UNRECOGNIZED);
    byte[] unpacked = {4 << 3, 3, 4 << 3, 9};
    assertThat(ANSWERS.parse(new ByteArrayInputStream(unpacked)).rowCounts()).containsExactly(3, 9);
  }

  @Test
  void damagedBytesAreRefused() {
    Random random = new Random(9);
    byte[] wire =
        LookupRequest.newBuilder()
            .setTableId(3)
            .addKeys(ByteString.copyFromUtf8("a key"))
            .build()
            .toByteArray();
    byte[] cut = Arrays.copyOf(wire, wire.length - 2);
    assertThatThrownBy(() -> QUESTIONS.parse(new ByteArrayInputStream(cut)))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("LookupRequest cannot be read");
    for (int i = 0; i < 2000; i++) {
      byte[] noise = bytes(random, 40);
      try {
        QUESTIONS.parse(new ByteArrayInputStream(noise));
        ANSWERS.parse(new ByteArrayInputStream(noise));
      } catch (StatusRuntimeException expected) {
        assertThat(expected).hasMessageContaining("cannot be read");
      }
    }
  }
}
