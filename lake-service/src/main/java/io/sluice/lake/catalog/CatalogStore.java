package io.sluice.lake.catalog;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.jdbc.JdbcClientPool;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catalog's database in a directory of its own, for one process: a lock says who has it. The
 * database (H2) writes behind by default; every change of the catalog is followed by a checkpoint
 * that is on disk before the change is answered, so the process may be killed at any moment.
 *
 * <p>Threads that use the catalog must not be interrupted: an interrupt closes the database's file.
 */
public final class CatalogStore implements AutoCloseable {
  /** Name of the one catalog in the store, and of the warehouse in the REST catalog. */
  public static final String NAME = "sluice";

  private static final Logger LOG = LoggerFactory.getLogger(CatalogStore.class);
  private static final String LOCK = "catalog.lock";
  private static final int CONNECTIONS = 4;

  private final FileChannel lockFile;
  private final Connection keeper;
  private final LakeCatalog catalog;
  private boolean closed;

  private CatalogStore(FileChannel lockFile, Connection keeper, LakeCatalog catalog) {
    this.lockFile = lockFile;
    this.keeper = keeper;
    this.catalog = catalog;
  }

  /**
   * Opens the store, making it when there is none.
   *
   * @param directory the database's directory
   * @param warehouse the directory of the tables' files
   * @throws SluiceException STORAGE_ERROR when another process has it or it cannot be read
   */
  public static CatalogStore open(Path directory, Path warehouse) {
    return open(directory, warehouse, UnaryOperator.identity());
  }

  static CatalogStore open(Path directory, Path warehouse, UnaryOperator<TableOperations> beneath) {
    FileChannel lock = null;
    Connection keeper = null;
    try {
      DurableDirectories.create(directory.toAbsolutePath());
      DurableDirectories.create(warehouse.toAbsolutePath());
      lock = lock(directory.resolve(LOCK));
      String url = url(directory);
      keeper = DriverManager.getConnection(url);
      LakeCatalog catalog = catalog(url, new Locations(warehouse), beneath);
      LOG.info("Catalog {} opened, warehouse {}", directory, warehouse);
      return new CatalogStore(lock, keeper, catalog);
    } catch (IOException | SQLException | UncheckedSQLException e) {
      closeQuietly(keeper);
      closeQuietly(lock);
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot open the catalog in " + directory + ": " + e, e);
    } catch (RuntimeException e) {
      closeQuietly(keeper);
      closeQuietly(lock);
      throw e;
    }
  }

  private static String url(Path directory) {
    // Closed by this class, in the service's order. Iceberg looks its tables up by lower-case name.
    return "jdbc:h2:file:"
        + directory.toAbsolutePath().normalize().resolve("catalog")
        + ";DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1"
        + ";DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE";
  }

  private static LakeCatalog catalog(
      String url, Locations locations, UnaryOperator<TableOperations> beneath) {
    Map<String, String> properties =
        Map.of(
            CatalogProperties.URI,
            url,
            CatalogProperties.WAREHOUSE_LOCATION,
            Locations.of(locations.root()),
            CatalogProperties.CLIENT_POOL_SIZE,
            Integer.toString(CONNECTIONS),
            "jdbc.schema-version",
            "V1");
    JdbcClientPool pool = new JdbcClientPool(CONNECTIONS, url, properties);
    LakeCatalog catalog = new LakeCatalog(locations, ignored -> pool, () -> force(pool), beneath);
    catalog.initialize(NAME, properties);
    force(pool);
    return catalog;
  }

  private static void force(JdbcClientPool pool) {
    try {
      pool.run(
          connection -> {
            try (Statement statement = connection.createStatement()) {
              statement.execute("CHECKPOINT SYNC");
            }
            return true;
          });
    } catch (SQLException e) {
      throw new UncheckedSQLException(e, "Cannot force the catalog to disk");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedSQLException(e, "Interrupted while forcing the catalog to disk");
    }
  }

  private static FileChannel lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      FileLock lock = tryLock(channel);
      if (lock == null) {
        String owner = Files.readString(file).strip();
        throw new SluiceException(
            ErrorCode.STORAGE_ERROR,
            "The catalog in "
                + file.getParent()
                + " is in use by process "
                + (owner.isEmpty() ? "(unknown)" : owner)
                + "; one catalog serves one lake-service. Stop that process or set another"
                + " sluice.lake.catalog-dir");
      }
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(
              Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // This very process has it, through another store.
      return null;
    }
  }

  /** The catalog. */
  public LakeCatalog catalog() {
    return catalog;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    catalog.close();
    try (Statement statement = keeper.createStatement()) {
      statement.execute("SHUTDOWN");
    } catch (SQLException e) {
      LOG.warn(
          "The catalog did not shut down in order; it recovers at the next start: {}",
          e.toString());
    }
    closeQuietly(keeper);
    closeQuietly(lockFile);
  }

  private static void closeQuietly(@Nullable AutoCloseable part) {
    if (part == null) {
      return;
    }
    try {
      part.close();
    } catch (Exception e) {
      LOG.debug("Closing {} failed: {}", part, e.toString());
    }
  }
}
