package io.sluice.coordinator.control;

import io.sluice.common.AggregateOption;
import io.sluice.common.ErrorCode;
import io.sluice.common.PrimaryKeyOptions;
import io.sluice.common.SluiceException;
import io.sluice.format.schema.SchemaChange;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The options of a table while its columns change: those of the merge rules follow a renamed column
 * and go with a dropped one. One owner.
 */
final class ColumnOptions {
  private final Map<String, String> options;
  private final Set<String> added = new HashSet<>();

  ColumnOptions(Map<String, String> options) {
    this.options = new TreeMap<>(options);
  }

  /**
   * Follows changes that are possible, in order.
   *
   * @throws SluiceException INVALID_ALTER when a column goes that the rules need
   */
  void follow(List<SchemaChange> changes) {
    for (SchemaChange change : changes) {
      if (change instanceof SchemaChange.Add add && add.parent().isEmpty()) {
        added.add(add.name());
      } else if (change instanceof SchemaChange.Drop drop && drop.path().size() == 1) {
        drop(drop.path().get(0));
      } else if (change instanceof SchemaChange.Rename rename && rename.path().size() == 1) {
        rename(rename.path().get(0), rename.newName());
      }
    }
  }

  private void drop(String column) {
    for (String key : List.of(PrimaryKeyOptions.VERSION_COLUMN, PrimaryKeyOptions.AUTO_INCREMENT)) {
      if (column.equals(named(key))) {
        throw new SluiceException(
            ErrorCode.INVALID_ALTER,
            "column '" + column + "' cannot be dropped: " + key + " names it for good");
      }
    }
    added.remove(column);
    for (AggregateOption.Part part : AggregateOption.Part.values()) {
      options.remove(new AggregateOption(column, part).key());
    }
  }

  private void rename(String column, String newName) {
    if (added.remove(column)) {
      added.add(newName);
    }
    for (AggregateOption.Part part : AggregateOption.Part.values()) {
      String value = options.remove(new AggregateOption(column, part).key());
      if (value != null) {
        options.put(new AggregateOption(newName, part).key(), value);
      }
    }
    for (String key : List.of(PrimaryKeyOptions.VERSION_COLUMN, PrimaryKeyOptions.AUTO_INCREMENT)) {
      if (column.equals(named(key))) {
        options.put(key, newName);
      }
    }
  }

  /** The column that an option names, empty when it is not set. */
  private String named(String key) {
    return options.getOrDefault(key, "").trim();
  }

  /** Whether a key is an option of the function of a column that the changes have added. */
  boolean isOfAddedColumn(String key) {
    return AggregateOption.of(key).filter(option -> added.contains(option.column())).isPresent();
  }

  /** Sets an option, or takes it back to its default. */
  void set(String key, Optional<String> value) {
    value.ifPresentOrElse(text -> options.put(key, text), () -> options.remove(key));
  }

  /** All options. */
  Map<String, String> asMap() {
    return Map.copyOf(options);
  }
}
