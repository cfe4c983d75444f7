package io.sluice.client;

import io.sluice.client.internal.ClientCore;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;

/**
 * A client's connection to a cluster: one for a process is enough. Opening does not talk to the
 * servers; the first request does. Thread-safe.
 */
public final class Connection implements AutoCloseable {
  private final ClientCore core;
  private final Admin admin;

  private Connection(ClientCore core) {
    this.core = core;
    this.admin = new Admin(core);
  }

  /** Opens a connection. INVALID_ARGUMENT when a coordinator's address is malformed. */
  public static Connection open(ClientConfig config) {
    return new Connection(new ClientCore(config, TimeSource.SYSTEM));
  }

  /** Databases, tables, servers and offsets. */
  public Admin admin() {
    return admin;
  }

  /** Opens {@code database.table} as it is now; TABLE_NOT_FOUND when there is none. */
  public Table table(String path) {
    return table(TablePath.parse(path));
  }

  /** Opens a table as it is now; TABLE_NOT_FOUND when there is none. */
  public Table table(TablePath path) {
    return new Table(core, core.tables().load(path));
  }

  /**
   * Closes writers (which flush), scanners and channels. While a tablet is dead it may wait up to
   * the delivery time-out for rows that are not stored; it throws the first failure, TIMEOUT then.
   * Twice is harmless.
   */
  @Override
  public void close() {
    core.close();
  }
}
