package io.sluice.client.fake;

import io.sluice.protocol.kv.v1.LookupRequest;

/** Decides what goes wrong with each lookup request; called on transport threads. */
@FunctionalInterface
public interface LookupFaults {
  /**
   * NONE, REFUSE, IGNORE and DROP as for puts; STORE_AND_HOLD holds the answer back until {@link
   * FakeTablet#releaseAnswers}.
   *
   * @param tablet id of the server
   * @param number counts the lookup requests of this server, from 1
   */
  PutFaults.Fault decide(int tablet, int number, LookupRequest request);
}
