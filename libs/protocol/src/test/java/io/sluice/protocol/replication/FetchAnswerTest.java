package io.sluice.protocol.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.StatusRuntimeException;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.protocol.cluster.v1.BucketId;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.replication.v1.BucketAnswer;
import io.sluice.protocol.replication.v1.EpochEnd;
import io.sluice.protocol.replication.v1.FetchAnswer;
import io.sluice.protocol.replication.v1.Refusal;
import io.sluice.protocol.replication.v1.StartAnew;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Answers by hand are those of the generated classes, in both directions. */
final class FetchAnswerTest {
  private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true);
  private final Marshaller<OutboundFrame> out =
      ReplicationMethods.fetchServer().getResponseMarshaller();
  private final Marshaller<ReceivedAnswer> in =
      ReplicationMethods.fetchClient(buffers).getResponseMarshaller();

  private static BucketAnswer.Builder bucket(int number) {
    return BucketAnswer.newBuilder()
        .setBucket(BucketId.newBuilder().setTableId(1L << 40).setPartitionId(9).setBucket(number))
        .setLeaderEpoch(3)
        .setCommitted(1L << 50)
        .setLogStart(17)
        .setLogEnd(Long.MAX_VALUE);
  }

  private static List<BucketAnswer> answers(Random random) {
    List<BucketAnswer> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      BucketAnswer.Builder answer = bucket(i);
      switch (i % 5) {
        case 0 -> answer.setDiverges(EpochEnd.newBuilder().setEpoch(2).setEndOffset(40));
        case 1 ->
            answer.setStartAnew(
                StartAnew.newBuilder().setWriters(ByteString.copyFromUtf8("w")).setLastTimeMs(5));
        case 2 -> answer.setRefused(Refusal.newBuilder().setCode("NOT_LEADER").setMessage("no"));
        case 3 -> {
          // News without data.
        }
        default -> {
          byte[] batches = new byte[1 + random.nextInt(i < 10 ? 300_000 : 300)];
          random.nextBytes(batches);
          answer.setBatches(ByteString.copyFrom(batches));
        }
      }
      all.add(answer.build());
    }
    return all;
  }

  private OutboundFrame build(long id, List<BucketAnswer> answers) {
    AnswerBuilder builder = new AnswerBuilder(buffers, id);
    for (BucketAnswer answer : answers) {
      ByteString batches = answer.getBatches();
      if (batches.isEmpty()) {
        builder.add(answer);
      } else {
        // A reader asks twice when the first batch is larger than it thought.
        builder.memory(3);
        ByteBuffer memory = builder.memory(batches.size() + 10);
        assertThat(memory.isDirect()).isTrue();
        batches.copyTo(memory);
        builder.addWithBatches(answer.toBuilder().clearBatches().build(), batches.size());
      }
    }
    int bytes = builder.bytes();
    OutboundFrame frame = builder.build();
    assertThat(frame.wireBytes()).isEqualTo(bytes);
    builder.close();
    return frame;
  }

  @Test
  void whatIsBuiltIsReadByTheGeneratedClasses() throws Exception {
    List<BucketAnswer> answers = answers(new Random(4));
    try (OutboundFrame frame = build(77, answers);
        InputStream stream = out.stream(frame)) {
      FetchAnswer read = FetchAnswer.parseFrom(stream.readAllBytes());
      assertThat(read.getAnswerId()).isEqualTo(77);
      assertThat(read.getBucketsList()).isEqualTo(answers);
    }
    assertThat(buffers.metric().usedDirectMemory()).isZero();
  }

  @Test
  void whatTheGeneratedClassesWriteIsReceived() {
    List<BucketAnswer> answers = answers(new Random(5));
    byte[] bytes =
        FetchAnswer.newBuilder().setAnswerId(8).addAllBuckets(answers).build().toByteArray();
    try (ReceivedAnswer read = in.parse(new ByteArrayInputStream(bytes))) {
      assertThat(read.answerId()).isEqualTo(8);
      assertThat(read.wireBytes()).isEqualTo(bytes.length);
      assertThat(read.buckets()).hasSameSizeAs(answers);
      for (int i = 0; i < answers.size(); i++) {
        BucketAnswer expected = answers.get(i);
        ReceivedBucket found = read.buckets().get(i);
        assertThat(found.fields()).isEqualTo(expected.toBuilder().clearBatches().build());
        assertThat(ByteString.copyFrom(found.batches())).isEqualTo(expected.getBatches());
      }
    }
    assertThat(buffers.metric().usedDirectMemory()).isZero();
  }

  @Test
  void anAnswerWithoutBucketsIsOne() {
    byte[] empty = FetchAnswer.newBuilder().setAnswerId(3).build().toByteArray();
    try (ReceivedAnswer read = in.parse(new ByteArrayInputStream(empty))) {
      assertThat(read.answerId()).isEqualTo(3);
      assertThat(read.buckets()).isEmpty();
    }
  }

  @Test
  void whatIsCutOffIsRefusedAndKeepsNoMemory() {
    byte[] bytes =
        FetchAnswer.newBuilder()
            .setAnswerId(8)
            .addAllBuckets(answers(new Random(6)).subList(10, 20))
            .build()
            .toByteArray();
    int refused = 0;
    for (int length = 1; length < bytes.length; length++) {
      byte[] part = Arrays.copyOf(bytes, length);
      try {
        in.parse(new ByteArrayInputStream(part)).close();
      } catch (StatusRuntimeException e) {
        refused++;
      }
    }
    // It may end well only between two buckets.
    assertThat(refused).isGreaterThanOrEqualTo(bytes.length - 12);
    assertThat(buffers.metric().usedDirectMemory()).isZero();
  }

  @Test
  void aLengthBeyondTheMessageTakesNoMemory() {
    byte[] bytes = {0x12, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0x07, 0x32};
    assertThatThrownBy(() -> in.parse(new ByteArrayInputStream(bytes)))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("2147483647");
    assertThat(buffers.metric().usedDirectMemory()).isZero();
  }
}
