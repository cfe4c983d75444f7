package io.sluice.coordinator.control;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.SchemaChange;
import io.sluice.protocol.metadata.SchemaChanges;
import io.sluice.protocol.metadata.v1.SetOption;
import io.sluice.protocol.metadata.v1.TableChange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the changes of a request. */
public final class Alterations {
  /** The most changes of one request. */
  private static final int MAX_CHANGES = 10_000;

  private Alterations() {}

  /** What the messages ask for; of several changes of one option the last one counts. */
  public static TableAlteration of(List<TableChange> changes) {
    if (changes.size() > MAX_CHANGES) {
      throw new SluiceException(
          ErrorCode.INVALID_ALTER,
          "The request has " + changes.size() + " changes; the limit is " + MAX_CHANGES);
    }
    List<SchemaChange> columns = new ArrayList<>();
    Map<String, Optional<String>> options = new LinkedHashMap<>();
    @Nullable String comment = null;
    for (TableChange change : changes) {
      SchemaChange ofColumns = SchemaChanges.toChange(change);
      if (ofColumns != null) {
        columns.add(ofColumns);
      } else if (change.hasSetOption()) {
        SetOption set = change.getSetOption();
        options.put(set.getKey(), Optional.of(set.getValue()));
      } else if (change.hasResetOption()) {
        options.put(change.getResetOption(), Optional.empty());
      } else {
        comment = change.getTableComment();
      }
    }
    return new TableAlteration(columns, options, comment);
  }
}
