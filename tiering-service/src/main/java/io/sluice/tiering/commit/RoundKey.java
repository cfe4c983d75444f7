package io.sluice.tiering.commit;

import java.util.Locale;

/**
 * Names one round.
 *
 * @param tableId the table
 * @param epoch its epoch in the tiering queue
 * @param roundId {@code <table id>-<epoch>-<8 hex digits>}
 */
public record RoundKey(long tableId, long epoch, String roundId) {
  /**
   * A new round.
   *
   * @param random tells rounds of one epoch apart
   */
  public static RoundKey of(long tableId, long epoch, int random) {
    return new RoundKey(
        tableId, epoch, String.format(Locale.ROOT, "%d-%d-%08x", tableId, epoch, random));
  }
}
