package io.sluice.cli.sql;

import io.sluice.cli.options.UsageException;
import java.util.List;

/** How rows are written. */
enum ResultFormat {
  TABLE,
  CSV,
  JSON;

  static final List<String> NAMES = List.of("table", "csv", "json");

  static ResultFormat of(String name) {
    int index = NAMES.indexOf(name);
    if (index < 0) {
      throw new UsageException("--format is '" + name + "'; it may be " + String.join(", ", NAMES));
    }
    return values()[index];
  }
}
