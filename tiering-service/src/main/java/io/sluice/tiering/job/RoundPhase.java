package io.sluice.tiering.job;

import java.util.Locale;

/** What a round is at, in order. */
public enum RoundPhase {
  /** Assigned, but all slots are taken. */
  WAITING,
  /** Asks lake and tablets from where to where. */
  PLANNING,
  /** Reads rows and encodes them. */
  READING,
  /** Ends files and makes them durable. */
  WRITING,
  /** Waits for the committer. From here on it is not interrupted. */
  COMMITTING;

  /** The name in reports and metrics. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
