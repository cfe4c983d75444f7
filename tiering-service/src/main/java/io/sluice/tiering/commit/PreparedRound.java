package io.sluice.tiering.commit;

import java.util.Map;

/**
 * What lake-service says before a round.
 *
 * @param fence goes back with the commit
 * @param offsets recorded offset by bucket; a bucket that is missing starts at 0
 * @param location directory (URI) for the files of the round
 * @param icebergSchema the lake table's schema as JSON
 * @param icebergSpec its partition spec as JSON
 */
public record PreparedRound(
    long fence,
    Map<Integer, Long> offsets,
    String location,
    String icebergSchema,
    String icebergSpec) {
  public PreparedRound {
    offsets = Map.copyOf(offsets);
  }
}
