package io.sluice.tablet.log;

/** What the sequence of a put means for a log. */
public sealed interface SequenceDecision {
  /** The put that comes next, or one without a writer. */
  SequenceDecision ACCEPT = new Accept();

  /** All of the put is new. */
  record Accept() implements SequenceDecision {}

  /**
   * All of the put was stored before.
   *
   * @param baseOffset where its first row is, -1 when that is not known
   */
  record Duplicate(long baseOffset) implements SequenceDecision {}

  /**
   * The first rows were stored before.
   *
   * @param rows how many
   */
  record Overlap(int rows) implements SequenceDecision {}

  /**
   * Rows before this put are missing.
   *
   * @param last last sequence stored, -1 for none
   */
  record Gap(long last) implements SequenceDecision {}

  /**
   * A newer instance of the writer was seen.
   *
   * @param newest its epoch
   */
  record Fenced(int newest) implements SequenceDecision {}
}
