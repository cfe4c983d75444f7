package io.sluice.tablet.kv.merge;

import io.sluice.format.row.Row;

/** All values in the order they came, with a delimiter between them. */
final class ListFunction extends NullIgnoringFunction {
  private final String delimiter;

  ListFunction(int column, String delimiter) {
    super(column);
    this.delimiter = delimiter;
  }

  @Override
  Row combine(Row before, Row put, OwnValues own) {
    return own.setObject(column, before.getString(column) + delimiter + put.getString(column));
  }
}
