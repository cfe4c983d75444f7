package io.sluice.coordinator.grpc;

import io.grpc.stub.StreamObserver;
import io.sluice.common.SluiceException;
import io.sluice.protocol.error.StatusMapping;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Answers calls of one message with what a future gives. */
final class UnaryAnswers {
  private UnaryAnswers() {}

  /** Answers with the message, or with the failure of the future or of asking for it. */
  static <M> void answer(StreamObserver<M> answers, Supplier<CompletableFuture<M>> request) {
    CompletableFuture<M> future;
    try {
      future = request.get();
    } catch (SluiceException refused) {
      answers.onError(StatusMapping.toStatus(refused));
      return;
    }
    answer(answers, future);
  }

  /** Answers with the message of the future or its failure. */
  static <M> void answer(StreamObserver<M> answers, CompletableFuture<M> future) {
    future.whenComplete(
        (message, failure) -> {
          if (failure != null) {
            answers.onError(StatusMapping.toStatus(failure));
          } else {
            answers.onNext(message);
            answers.onCompleted();
          }
        });
  }
}
