package io.sluice.systemtests.relay;

/** Sees every message of a relay, on a thread of the call, which may wait. */
public interface Hook {
  /** What becomes of a message. */
  enum Verdict {
    /** It goes on. */
    PASS,
    /**
     * The caller's call ends with UNAVAILABLE in its place. Without effect on a message that went
     * on already.
     */
    LOSE
  }

  Verdict see(Relayed message) throws Exception;
}
