package io.sluice.lake.grpc;

import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.commit.LakeSnapshots;
import io.sluice.lake.commit.LakeTableDrop;
import io.sluice.lake.commit.RoundMessages;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import io.sluice.protocol.lake.v1.CommitRoundResponse;
import io.sluice.protocol.lake.v1.FindLakeTableRequest;
import io.sluice.protocol.lake.v1.GetLakeSnapshotRequest;
import io.sluice.protocol.lake.v1.LakeServiceGrpc;
import io.sluice.protocol.lake.v1.LakeSnapshot;
import io.sluice.protocol.lake.v1.LakeTable;
import io.sluice.protocol.lake.v1.PrepareRoundRequest;
import io.sluice.protocol.lake.v1.PrepareRoundResponse;
import io.sluice.protocol.lake.v1.PurgeLakeTableRequest;
import io.sluice.protocol.lake.v1.PurgeLakeTableResponse;
import io.sluice.protocol.lake.v1.ResolveRoundRequest;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.jdbc.UncheckedSQLException;

/** {@code sluice.lake.v1.LakeService} over the committer. Calls block the server's threads. */
public final class LakeGrpcService extends LakeServiceGrpc.LakeServiceImplBase {
  private final RoundMessages rounds;
  private final LakeSnapshots snapshots;
  private final LakeTableDrop drop;
  private final Path warehouse;

  /**
   * @param warehouse root directory of the warehouse
   */
  public LakeGrpcService(
      RoundMessages rounds, LakeSnapshots snapshots, LakeTableDrop drop, Path warehouse) {
    this.rounds = rounds;
    this.snapshots = snapshots;
    this.drop = drop;
    this.warehouse = warehouse;
  }

  @Override
  public void prepareRound(
      PrepareRoundRequest request, StreamObserver<PrepareRoundResponse> answers) {
    answer(answers, () -> rounds.prepare(request));
  }

  @Override
  public void commitRound(CommitRoundRequest request, StreamObserver<CommitRoundResponse> answers) {
    answer(answers, () -> rounds.commit(request));
  }

  @Override
  public void resolveRound(
      ResolveRoundRequest request, StreamObserver<CommitRoundResponse> answers) {
    answer(answers, () -> rounds.resolve(request));
  }

  @Override
  public void getLakeSnapshot(
      GetLakeSnapshotRequest request, StreamObserver<LakeSnapshot> answers) {
    answer(answers, () -> snapshots.current(request.getTableId()));
  }

  @Override
  public void findLakeTable(FindLakeTableRequest request, StreamObserver<LakeTable> answers) {
    answer(answers, () -> drop.find(request.getDatabase(), request.getTable()));
  }

  @Override
  public void purgeLakeTable(
      PurgeLakeTableRequest request, StreamObserver<PurgeLakeTableResponse> answers) {
    answer(
        answers,
        () ->
            PurgeLakeTableResponse.newBuilder()
                .setPurged(drop.purge(request.getDatabase(), request.getTable()))
                .build());
  }

  private <A> void answer(StreamObserver<A> answers, Supplier<A> work) {
    A answer;
    try {
      answer = work.get();
    } catch (RuntimeException failure) {
      answers.onError(StatusMapping.toStatus(translated(failure)));
      return;
    }
    answers.onNext(answer);
    answers.onCompleted();
  }

  /**
   * Iceberg's failures of disk and store in our words; the rest is a defect. A missing file is a
   * failure of the store only when all of it is missing, as after a lost mount: one table without
   * its file must not stop the rounds of all others.
   */
  private RuntimeException translated(RuntimeException failure) {
    if (failure instanceof NotFoundException && !Files.isDirectory(warehouse)) {
      return new SluiceException(
          ErrorCode.STORAGE_ERROR,
          "The warehouse " + warehouse + " is not there; is its disk mounted?",
          failure);
    }
    boolean storage =
        failure instanceof RuntimeIOException
            || failure instanceof UncheckedIOException
            || failure instanceof UncheckedSQLException
            || failure instanceof CommitStateUnknownException;
    return storage
        ? new SluiceException(
            ErrorCode.STORAGE_ERROR,
            "The lake cannot be read or written: " + firstLine(failure),
            failure)
        : failure;
  }

  private static String firstLine(Throwable failure) {
    String text = failure.toString();
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
