package io.sluice.cli.bench.compare;

import java.util.List;

/** The products that Sluice is compared with. */
public final class Peers {
  static final String KAFKA = "kafka";
  public static final String FLUSS = "fluss";

  /** Their names on the command line. */
  public static final List<String> NAMES = List.of(KAFKA, FLUSS);

  private Peers() {}
}
