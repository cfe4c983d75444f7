package io.sluice.systemtests.relay;

/**
 * A message on its way through the relay.
 *
 * @param method name of the method without its service, {@code CommitRound}
 * @param moment where it is
 * @param bytes the message
 * @param question the latest message that the caller sent in this call, which an answer answers
 */
public record Relayed(String method, Moment moment, byte[] bytes, byte[] question) {
  /** Whether this is that method's message at that moment. */
  public boolean is(String wantedMethod, Moment wantedMoment) {
    return moment == wantedMoment && method.equals(wantedMethod);
  }
}
