package io.sluice.coordinator.rest;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.MetadataImage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.http.ResponseEntity;

/** How handlers wait and answer. */
final class Answers {
  /** Longer than the metadata log takes to give up by itself. */
  private static final long WAIT_SECONDS = 20;

  private static final long CHANGE_SECONDS = 70;

  private Answers() {}

  /** Waits on the request's thread; throws the failure as a {@link SluiceException}. */
  static <T> T await(CompletableFuture<T> future) {
    return await(future, WAIT_SECONDS);
  }

  /**
   * As {@link #await} for a change of the coordinators, of whom one may have much to read first.
   */
  static <T> T awaitChange(CompletableFuture<T> future) {
    return await(future, CHANGE_SECONDS);
  }

  private static <T> T await(CompletableFuture<T> future, long seconds) {
    try {
      return future.get(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(ErrorCode.UNAVAILABLE, "The coordinator is stopping", e);
    } catch (TimeoutException e) {
      throw new SluiceException(
          ErrorCode.TIMEOUT, "No answer within " + seconds + " s; the outcome is unknown", e);
    } catch (ExecutionException e) {
      SluiceException failure = SluiceException.findIn(e);
      if (failure != null) {
        throw failure;
      }
      throw new SluiceException(ErrorCode.INTERNAL, "The request failed: " + e.getCause(), e);
    }
  }

  /** An answer whose entity tag is the index of the image it was made from. */
  static <T> ResponseEntity<T> tagged(MetadataImage image, T body) {
    return ResponseEntity.ok().eTag(tag(image)).body(body);
  }

  static String tag(MetadataImage image) {
    return "\"" + image.index() + "\"";
  }
}
