package io.sluice.cli.bench.compare;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/** The running servers of one product. */
interface Servers {
  /** Title and version, for people. */
  String title();

  /** {@code host:port} for its clients. */
  String bootstrap();

  /** Process ids. */
  List<Long> pids();

  /** Class path of the client process. */
  String clientClassPath();

  /**
   * Bytes of log that a table has on disk, where the product's own client cannot ask its servers.
   */
  OptionalLong storedBytes(String table) throws IOException;
}
