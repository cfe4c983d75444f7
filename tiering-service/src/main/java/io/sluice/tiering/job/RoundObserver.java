package io.sluice.tiering.job;

/** Is told what happens, for metrics. Called by the threads of the rounds; must not block. */
public interface RoundObserver {
  /** A round left a phase after so long. */
  void phaseEnded(RoundPhase phase, long nanos);

  /** A round ended. */
  void ended(RoundResult result);
}
