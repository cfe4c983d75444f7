package io.sluice.lake.duck;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A DuckDB instance of its own, in memory, for one query: nothing of another query can be seen in
 * it. It can read the files it is opened with and no others, loads no extension, and its settings
 * are locked before any text of a user reaches it. For one thread, but for {@link Cancellation}.
 */
public final class DuckSession implements AutoCloseable {
  /** One function of each extension that has to be compiled in: parquet, json and icu. */
  private static final Set<String> NEEDED_FUNCTIONS =
      Set.of("read_parquet", "json_serialize_sql", "icu_sort_key");

  private static final Logger LOG = LoggerFactory.getLogger(DuckSession.class);
  private static final AtomicLong SEQUENCE = new AtomicLong();

  private final DuckDBConnection connection;
  private final Path spill;
  private final Cancellation cancellation;

  /** What runs now: only the statement that runs can be interrupted, and only while it executes. */
  private volatile @Nullable Statement executing;

  private DuckSession(DuckDBConnection connection, Path spill, Cancellation cancellation) {
    this.connection = connection;
    this.spill = spill;
    this.cancellation = cancellation;
    cancellation.interruptWith(this::interrupt);
  }

  /**
   * Opens and locks an instance.
   *
   * @param files the local files it may read
   */
  public static DuckSession open(
      DuckSettings settings, Collection<String> files, Cancellation cancellation) {
    Path spill = settings.spillDirectory().resolve("query-" + SEQUENCE.incrementAndGet());
    try {
      DuckDBConnection connection =
          (DuckDBConnection)
              DriverManager.getConnection("jdbc:duckdb:", properties(settings, spill));
      try {
        lock(connection, files);
        return new DuckSession(connection, spill, cancellation);
      } catch (SQLException e) {
        connection.close();
        throw e;
      }
    } catch (SQLException e) {
      throw new SluiceException(
          ErrorCode.INTERNAL, "Cannot open the query engine: " + DuckErrors.firstLine(e), e);
    }
  }

  private static Properties properties(DuckSettings settings, Path spill) {
    Properties properties = new Properties();
    properties.setProperty("memory_limit", settings.memoryBytes() + "B");
    properties.setProperty("threads", Integer.toString(settings.threads()));
    properties.setProperty("temp_directory", spill.toString());
    properties.setProperty("max_temp_directory_size", settings.spillBytes() + "B");
    properties.setProperty("autoinstall_known_extensions", "false");
    properties.setProperty("autoload_known_extensions", "false");
    properties.setProperty("allow_community_extensions", "false");
    properties.setProperty("allow_persistent_secrets", "false");
    // Flink's dialect: whole numbers divide to whole numbers, NULL is the lowest value.
    properties.setProperty("integer_division", "true");
    properties.setProperty("default_null_order", "nulls_first_on_asc_last_on_desc");
    properties.setProperty("errors_as_json", "true");
    // A result that is streamed could not be interrupted while its next rows are made.
    properties.setProperty(DuckDBDriver.JDBC_STREAM_RESULTS, "false");
    return properties;
  }

  private static void lock(DuckDBConnection connection, Collection<String> files)
      throws SQLException {
    String allowed = files.stream().map(Names::literal).collect(Collectors.joining(", ", "[", "]"));
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TimeZone = 'UTC'");
      if (!files.isEmpty()) {
        statement.execute("SET allowed_paths = " + allowed);
      }
      statement.execute("SET enable_external_access = false");
      statement.execute("CREATE SCHEMA " + Names.quote(Names.INTERNAL_SCHEMA));
      for (String guard : SizeGuards.STATEMENTS) {
        statement.execute(guard);
      }
      statement.execute("SET lock_configuration = true");
    }
  }

  /**
   * Whether this machine's DuckDB can do what is needed: opens an instance and looks.
   *
   * @throws SluiceException INTERNAL naming what is missing
   */
  public static void verify(DuckSettings settings) {
    try (DuckSession session = open(settings, List.of(), new Cancellation())) {
      Set<String> missing = new TreeSet<>(NEEDED_FUNCTIONS);
      try (PreparedStatement query =
              session.prepare("SELECT DISTINCT function_name FROM duckdb_functions()");
          ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          missing.remove(rows.getString(1));
        }
      } catch (SQLException e) {
        throw new SluiceException(
            ErrorCode.INTERNAL, "The query engine does not work: " + DuckErrors.firstLine(e), e);
      }
      if (!missing.isEmpty()) {
        throw new SluiceException(
            ErrorCode.INTERNAL, "The query engine was built without " + missing);
      }
    }
  }

  /** Runs a statement that this package wrote. */
  void execute(String sql) throws SQLException {
    cancellation.check();
    executeAlways(sql);
  }

  /** As {@link #execute}, also when the query has to end: for what must not stay behind. */
  void executeAlways(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      executing = statement;
      statement.execute(sql);
    } finally {
      executing = null;
    }
  }

  /** Runs a query to its end; its result stays with the engine, within its memory. */
  ResultSet query(PreparedStatement statement) throws SQLException {
    cancellation.check();
    try {
      executing = statement;
      return statement.executeQuery();
    } finally {
      executing = null;
    }
  }

  /** Parses and binds a query. */
  PreparedStatement prepare(String sql) throws SQLException {
    cancellation.check();
    return connection.prepareStatement(sql);
  }

  DuckDBConnection connection() {
    return connection;
  }

  Cancellation cancellation() {
    return cancellation;
  }

  private void interrupt() {
    Statement now = executing;
    if (now == null) {
      return;
    }
    try {
      now.cancel();
    } catch (SQLException e) {
      // It has just ended; whoever waits for the end gives the interrupt again.
      LOG.debug("Cannot interrupt a statement", e);
    }
  }

  @Override
  public void close() {
    cancellation.interruptWith(null);
    try {
      connection.close();
    } catch (SQLException e) {
      throw new SluiceException(
          ErrorCode.INTERNAL, "Cannot close the query engine: " + DuckErrors.firstLine(e), e);
    } finally {
      deleteAll(spill);
    }
  }

  /** Deletes what earlier processes left in the spill directory, and makes it. */
  public static void prepareSpillDirectory(Path directory) {
    try {
      deleteAll(directory);
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot make the spill directory " + directory, e);
    }
  }

  private static void deleteAll(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> found = Files.walk(directory)) {
      for (Path path : found.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot delete the spill directory " + directory, e);
    }
  }
}
