package io.sluice.coordinator.metadata;

/**
 * Why a table gets no rounds although it may be due; the later, the stronger. A hold is replaced
 * only by a stronger one, so that a pause does not hide what is wrong.
 */
public enum LakeHold {
  /** None. */
  NONE(""),
  /** An operator wants no rounds. */
  PAUSED("paused"),
  /** Round after round failed for a reason of the table's own. */
  QUARANTINED("quarantined"),
  /** The lake is behind what is recorded: somebody rolled it back. */
  REGRESSED("regressed");

  private final String text;

  LakeHold(String text) {
    this.text = text;
  }

  /** The name on the wire, empty for none. */
  public String text() {
    return text;
  }

  /** The hold of that name; IllegalArgumentException when there is none. */
  public static LakeHold of(String text) {
    for (LakeHold hold : values()) {
      if (hold.text.equals(text)) {
        return hold;
      }
    }
    throw new IllegalArgumentException("'" + text + "' is no hold");
  }
}
