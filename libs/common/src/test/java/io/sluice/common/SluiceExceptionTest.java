package io.sluice.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

final class SluiceExceptionTest {
  @Test
  void isFoundBehindWrappers() {
    SluiceException failure = new SluiceException(ErrorCode.TIMEOUT, "late", new IOException("x"));
    Throwable wrapped = new ExecutionException(new CompletionException(failure));
    assertThat(SluiceException.findIn(wrapped)).isSameAs(failure);
    assertThat(SluiceException.findIn(failure)).isSameAs(failure);
    assertThat(SluiceException.findIn(new IOException("x"))).isNull();
  }

  @Test
  void aCircleOfCausesEnds() {
    IOException one = new IOException("one");
    IOException other = new IOException("other", one);
    one.initCause(other);
    assertThat(SluiceException.findIn(one)).isNull();
  }
}
