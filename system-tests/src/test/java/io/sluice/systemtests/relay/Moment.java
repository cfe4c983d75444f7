package io.sluice.systemtests.relay;

/** Where a message is when a hook sees it. */
public enum Moment {
  /** The caller sent it; the server has not got it. */
  ASKED,
  /** It went on to the server. */
  ASKED_ON,
  /** The server answered it; the caller has not got the answer. */
  ANSWERED,
  /** The answer went on to the caller. */
  ANSWERED_ON
}
