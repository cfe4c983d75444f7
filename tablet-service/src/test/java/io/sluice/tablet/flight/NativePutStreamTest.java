package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.BatchWriter;
import io.sluice.protocol.flight.v1.NativePut;
import io.sluice.protocol.flight.v1.PutAnswer;
import io.sluice.protocol.flight.v1.PutMetadata;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.impl.Flight.FlightData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class NativePutStreamTest {
  private FlightHarness harness;
  private TableInfo table;

  @BeforeEach
  void open() throws Exception {
    harness = new FlightHarness();
    table = harness.createEvents(2);
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private NativePut.Builder command() {
    return NativePut.newBuilder().setTableId(table.getTableId()).setSchemaId(1).setWriterId(-1);
  }

  private FlightData rows(long requestId, int bucket, long from, long to) {
    return NativeUpload.message(
        harness.clientAllocator, requestId, bucket, from, to, BatchWriter.NONE);
  }

  @Test
  void storesBatchesAndAnswersByRequestId() {
    NativeUpload upload = new NativeUpload(harness.channel(), command().build());
    upload.send(rows(7, 0, 0, 10));
    upload.send(rows(8, 1, 10, 15));
    upload.send(rows(9, 0, 15, 35));
    upload.call().halfClose();
    assertThat(upload.call().status().isOk()).isTrue();
    List<PutAnswer> answers = upload.answers(3);
    assertThat(answers).extracting(PutAnswer::getRequestId).containsExactly(7L, 8L, 9L);
    assertThat(answers).extracting(PutAnswer::getBaseOffset).containsExactly(0L, 0L, 10L);
    assertThat(answers).extracting(PutAnswer::getRows).containsExactly(10L, 5L, 20L);
    assertThat(answers).allMatch(answer -> !answer.hasError() && answer.getLeaderEpoch() == 1);
    assertThat(harness.replica(table, 0).offsets().visible()).isEqualTo(30);
    harness.tablet().awaitIdle();
  }

  @Test
  void answersOutOfOrderWhenABucketWaits() {
    NativeUpload upload = new NativeUpload(harness.channel(), command().build());
    harness.replica(table, 0).hold();
    upload.send(rows(1, 0, 0, 10));
    upload.send(rows(2, 1, 0, 10));
    assertThat(upload.answers(1).get(0).getRequestId()).isEqualTo(2);
    upload.call().halfClose();
    harness.replica(table, 0).release();
    assertThat(upload.answers(2).get(1).getRequestId()).isEqualTo(1);
    assertThat(upload.call().status().isOk()).isTrue();
  }

  @Test
  void refusalsAnswerTheirRequestAndTheStreamGoesOn() {
    NativeUpload upload = new NativeUpload(harness.channel(), command().build());
    FlightData good = rows(1, 0, 0, 10);
    FlightData damagedBody =
        rows(2, 0, 0, 500).toBuilder().setDataBody(rows(2, 0, 1, 501).getDataBody()).build();
    upload.send(damagedBody);
    upload.send(rows(3, 5, 0, 10));
    harness
        .replica(table, 1)
        .leadership(
            new SluiceException(
                ErrorCode.NOT_LEADER, "moved", Map.of("leader", "127.0.0.1:99"), null));
    upload.send(rows(4, 1, 0, 10));
    upload.send(good);
    List<PutAnswer> answers = upload.answers(4);
    assertThat(answers)
        .extracting(answer -> answer.getError().getCode())
        .containsExactly("CORRUPT_BATCH", "BUCKET_NOT_FOUND", "NOT_LEADER", "");
    assertThat(answers.get(2).getError().getDetailsMap()).containsEntry("leader", "127.0.0.1:99");
    assertThat(answers.get(2).getError().getRetriable()).isTrue();
    upload.call().halfClose();
    assertThat(upload.call().status().isOk()).isTrue();
    assertThat(harness.replica(table, 0).batchCount()).isEqualTo(1);
  }

  @Test
  void namesWhatDoesNotFitTheStream() {
    NativeUpload otherSchema =
        new NativeUpload(harness.channel(), command().setSchemaId(2).build());
    otherSchema.send(rows(1, 0, 0, 10));
    assertThat(otherSchema.answers(1).get(0).getError().getCode()).isEqualTo("INVALID_SCHEMA");
    otherSchema.call().cancel();

    NativeUpload gone = new NativeUpload(harness.channel(), command().setTableId(99).build());
    gone.send(rows(1, 0, 0, 10));
    assertThat(gone.answers(1).get(0).getError().getCode()).isEqualTo("TABLE_CHANGED");
    gone.call().cancel();

    NativeUpload writer = new NativeUpload(harness.channel(), command().setWriterId(4).build());
    writer.send(rows(1, 0, 0, 10));
    assertThat(writer.answers(1).get(0).getError().getMessage()).contains("writer 4");
    writer.call().cancel();

    NativeUpload columns =
        new NativeUpload(harness.channel(), command().addTargetColumns(1).build());
    columns.send(rows(1, 0, 0, 10));
    assertThat(columns.answers(1).get(0).getError().getCode()).isEqualTo("UNSUPPORTED");
    columns.call().cancel();
  }

  @Test
  void aMessageWithoutRequestIdEndsTheStream() {
    NativeUpload upload = new NativeUpload(harness.channel(), command().build());
    upload.send(FlightData.newBuilder().setDataHeader(rows(1, 0, 0, 1).getDataHeader()).build());
    assertThat(upload.call().failure().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(upload.call().failure()).hasMessageContaining("app_metadata");

    NativeUpload garbage = new NativeUpload(harness.channel(), command().build());
    garbage.call().send(new byte[] {(byte) 0xFF, 1, 2, 3});
    assertThat(garbage.call().failure().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    harness.tablet().awaitIdle();
  }

  @Test
  void aHeaderOfAnotherSizeIsRefused() throws Exception {
    NativeUpload upload = new NativeUpload(harness.channel(), command().build());
    FlightData good = rows(3, 0, 0, 10);
    PutMetadata metadata = PutMetadata.parseFrom(good.getAppMetadata());
    PutMetadata cut = metadata.toBuilder().setHeader(metadata.getHeader().substring(1)).build();
    upload.send(good.toBuilder().setAppMetadata(cut.toByteString()).build());
    assertThat(upload.answers(1).get(0).getError().getMessage()).contains("95 bytes");
    upload.call().cancel();
  }

  @Test
  void aRepeatedBatchOfAWriterIsADuplicate() {
    NativeUpload upload =
        new NativeUpload(harness.channel(), command().setWriterId(3).setWriterEpoch(1).build());
    BatchWriter first = new BatchWriter(3, 1, 0, 10);
    upload.send(NativeUpload.message(harness.clientAllocator, 1, 0, 0, 10, first));
    upload.send(NativeUpload.message(harness.clientAllocator, 2, 0, 0, 10, first));
    List<PutAnswer> answers = upload.answers(2);
    assertThat(answers).extracting(PutAnswer::getDuplicate).containsExactly(false, true);
    upload.call().halfClose();
    assertThat(upload.call().status().isOk()).isTrue();
  }

  @Test
  void unansweredBytesAreBoundedByBackpressureAnswers() throws Exception {
    FlightData one = rows(1, 0, 0, 20_000);
    long limit = 5L * one.getSerializedSize();
    FlightSettings settings =
        new FlightSettings(1, "test", limit, 1 << 20, 10, 2, Duration.ofSeconds(5));
    try (FlightHarness small = new FlightHarness(settings, 1)) {
      TableInfo events = small.createEvents(1);
      small.replica(events, 0).hold();
      NativeUpload upload =
          new NativeUpload(
              small.channel(),
              NativePut.newBuilder()
                  .setTableId(events.getTableId())
                  .setSchemaId(1)
                  .setWriterId(-1)
                  .build());
      for (int i = 1; i <= 12; i++) {
        upload.send(rows(i, 0, 0, 20_000));
      }
      List<PutAnswer> answers = upload.answers(7);
      assertThat(answers)
          .extracting(each -> each.getError().getCode())
          .containsOnly("BACKPRESSURE");
      assertThat(small.tablet().allocator.getAllocatedMemory()).isLessThan(2 * limit);
      small.replica(events, 0).release();
      assertThat(upload.answers(12).subList(7, 12)).noneMatch(PutAnswer::hasError);
      upload.send(rows(13, 0, 0, 20_000));
      assertThat(upload.answers(13).get(12).hasError()).isFalse();
      upload.call().halfClose();
      assertThat(upload.call().status().isOk()).isTrue();
    }
  }

  @Test
  void cancellingReleasesWhatIsHeldOnceItIsAnswered() {
    FakeReplica replica = harness.replica(table, 0);
    replica.hold();
    NativeUpload upload = new NativeUpload(harness.channel(), command().build());
    upload.send(rows(1, 0, 0, 1000));
    Await.until("put taken", FlightHarness.SOON, () -> replica.held() == 1);
    upload.call().cancel();
    Await.until("stream closed", FlightHarness.SOON, () -> harness.tablet().meters.openPuts() == 0);
    replica.release();
    harness.tablet().awaitIdle();
  }

  @Test
  void stoppingAnswersWhatWasTakenAndRefusesTheRest() {
    FakeReplica replica = harness.replica(table, 0);
    replica.hold();
    NativeUpload upload = new NativeUpload(harness.channel(), command().build());
    upload.send(rows(1, 0, 0, 1000));
    Await.until("put taken", FlightHarness.SOON, () -> replica.held() == 1);
    harness.tablet().service.stopAccepting();
    upload.send(rows(2, 0, 1000, 1010));
    assertThat(upload.answers(1).get(0).getError().getCode()).isEqualTo("UNAVAILABLE");
    assertThat(upload.answers(1).get(0).getRequestId()).isEqualTo(2);
    replica.release();
    assertThat(upload.call().status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    List<PutAnswer> answers = upload.answers(2);
    assertThat(answers).hasSize(2);
    assertThat(answers.get(1).getRequestId()).isEqualTo(1);
    assertThat(answers.get(1).hasError()).isFalse();
    assertThat(replica.batchCount()).isEqualTo(1);

    NativeUpload late = new NativeUpload(harness.channel(), command().build());
    late.send(rows(3, 0, 1010, 1020));
    assertThat(late.call().failure().code()).isEqualTo(ErrorCode.UNAVAILABLE);
  }
}
