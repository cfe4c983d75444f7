package io.sluice.client.fake;

import io.sluice.common.ErrorCode;
import io.sluice.protocol.flight.v1.PutMetadata;
import org.jspecify.annotations.Nullable;

/** Decides what goes wrong with each put; called on transport threads. */
@FunctionalInterface
public interface PutFaults {
  /** What happens to a put. */
  enum Kind {
    /** It is stored and answered. */
    NONE,
    /** It is refused with the code, not stored. */
    REFUSE,
    /** The stream ends before it is stored. */
    DROP,
    /** It is stored and the stream ends without its answer. */
    STORE_AND_DROP,
    /** It is neither stored nor answered. */
    IGNORE,
    /** It is stored; the answer waits until {@link FakeTablet#releaseAnswers}. */
    STORE_AND_HOLD
  }

  /** One decision. */
  record Fault(Kind kind, @Nullable ErrorCode code) {
    public static final Fault NONE = new Fault(Kind.NONE, null);

    public static Fault refuse(ErrorCode code) {
      return new Fault(Kind.REFUSE, code);
    }

    public static Fault of(Kind kind) {
      return new Fault(kind, null);
    }
  }

  /**
   * @param tablet id of the server
   * @param number counts the puts of this server, from 1
   */
  Fault decide(int tablet, int number, PutMetadata put);
}
