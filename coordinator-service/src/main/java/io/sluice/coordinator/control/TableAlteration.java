package io.sluice.coordinator.control;

import io.sluice.format.schema.SchemaChange;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What somebody asks to change of a table: all of it happens or nothing does.
 *
 * @param columns changes of columns, in order
 * @param options new values by key; empty takes the option back to its default
 * @param comment the new comment, null to leave it
 */
public record TableAlteration(
    List<SchemaChange> columns, Map<String, Optional<String>> options, @Nullable String comment) {
  public TableAlteration {
    columns = List.copyOf(columns);
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }
}
