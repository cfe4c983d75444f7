package io.sluice.coordinator.metadata;

import io.sluice.common.Names;

/**
 * A database.
 *
 * @param name name
 * @param comment free text, empty when none
 * @param createdMs when it was created, epoch milliseconds
 */
public record Database(String name, String comment, long createdMs) {
  public Database {
    Names.checkDatabase(name);
  }
}
