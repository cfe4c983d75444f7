package io.sluice.coordinator.control;

import io.sluice.common.ErrorCode;
import io.sluice.common.Names;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Database;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Outcome;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.Table;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What clients may ask of the metadata, for gRPC and REST alike: decides with the rules, submits
 * commands, reads linearizably. Futures fail with a {@link SluiceException}. Thread-safe.
 */
public final class Catalog {
  private static final Logger LOG = LoggerFactory.getLogger(Catalog.class);

  /** How often something is planned anew when the state has moved on meanwhile. */
  private static final int MAX_PLANS = 5;

  private final MetadataLog log;
  private final TimeSource time;
  private final int defaultReplicationFactor;
  private final IntToLongFunction diskUsedBytes;

  /** One that places new buckets by the number of replicas alone. */
  public Catalog(MetadataLog log, TimeSource time, int defaultReplicationFactor) {
    this(log, time, defaultReplicationFactor, serverId -> 0);
  }

  /**
   * One that also looks at what is on the disks.
   *
   * @param diskUsedBytes what the replicas of a server take, by server id; 0 when not known
   */
  public Catalog(
      MetadataLog log,
      TimeSource time,
      int defaultReplicationFactor,
      IntToLongFunction diskUsedBytes) {
    this.log = log;
    this.time = time;
    this.defaultReplicationFactor = defaultReplicationFactor;
    this.diskUsedBytes = diskUsedBytes;
  }

  /** The newest image. */
  public CompletableFuture<MetadataImage> image() {
    return log.readLatest();
  }

  /** Creates a database; DATABASE_EXISTS unless an existing one will do. */
  public CompletableFuture<Versioned<Database>> createDatabase(
      String name, String comment, boolean ignoreIfExists) {
    Names.checkDatabase(name);
    return log.submit(new Command.CreateDatabase(name, comment, time.epochMs()))
        .thenApply(
            applied -> {
              if (!isRejected(applied.outcome(), ErrorCode.DATABASE_EXISTS) || !ignoreIfExists) {
                applied.outcome().orThrow();
                LOG.info("Database {} created", name);
              }
              return findDatabase(log.current(), name);
            });
  }

  /** Drops a database; tells whether there was one. */
  public CompletableFuture<Boolean> dropDatabase(
      String name, boolean ignoreIfMissing, boolean cascade) {
    return log.submit(new Command.DropDatabase(name, cascade))
        .thenApply(
            applied -> {
              if (ignoreIfMissing && isRejected(applied.outcome(), ErrorCode.DATABASE_NOT_FOUND)) {
                return false;
              }
              applied.outcome().orThrow();
              LOG.info("Database {} dropped", name);
              return true;
            });
  }

  /** The database of that name; DATABASE_NOT_FOUND when there is none. */
  public CompletableFuture<Versioned<Database>> database(String name) {
    return log.readLatest().thenApply(image -> findDatabase(image, name));
  }

  /** Creates a table; TABLE_EXISTS unless an existing one of whatever shape will do. */
  public CompletableFuture<Versioned<Table>> createTable(
      TableDefinition definition, boolean ignoreIfExists) {
    return createTable(definition, ignoreIfExists, MAX_PLANS);
  }

  private CompletableFuture<Versioned<Table>> createTable(
      TableDefinition definition, boolean ignoreIfExists, int plansLeft) {
    return log.readLatest()
        .thenCompose(
            image -> {
              TablePath path = definition.path();
              Table existing = image.state().table(path);
              if (existing != null && ignoreIfExists) {
                return CompletableFuture.completedFuture(new Versioned<>(image, existing));
              }
              if (existing != null) {
                // What is wrong with the definition is told first: it stays wrong under every name.
                TableRules.requireValid(definition);
                throw tableExists(path);
              }
              findDatabase(image, path.database());
              Command.CreateTable command =
                  TableRules.plan(
                      Placement.of(image.state(), diskUsedBytes),
                      definition,
                      defaultReplicationFactor,
                      time.epochMs());
              return log.submit(command)
                  .thenCompose(
                      applied -> created(definition, ignoreIfExists, plansLeft, applied.outcome()));
            });
  }

  private CompletableFuture<Versioned<Table>> created(
      TableDefinition definition, boolean ignoreIfExists, int plansLeft, Outcome outcome) {
    boolean raced = ignoreIfExists && isRejected(outcome, ErrorCode.TABLE_EXISTS);
    boolean stale = isRejected(outcome, ErrorCode.NOT_ENOUGH_SERVERS);
    if ((raced || stale) && plansLeft > 1) {
      return createTable(definition, ignoreIfExists, plansLeft - 1);
    }
    long tableId = outcome.orThrow().id();
    MetadataImage image = log.current();
    Table table = image.state().table(tableId);
    if (table == null) {
      throw tableNotFound(definition.path());
    }
    LOG.info(
        "Table {} created: id {}, {} buckets, {} partitions, {} columns",
        table.path(),
        tableId,
        table.buckets().size(),
        table.partitions().size(),
        table.schema().size());
    return CompletableFuture.completedFuture(new Versioned<>(image, table));
  }

  /**
   * Alters a table: all changes or none. When the number of replicas is altered the buckets that
   * are there begin to move; asked again, those that could not follow do.
   *
   * @param expectedId when not 0, the table must still have this id, else TABLE_CHANGED
   */
  public CompletableFuture<Versioned<Table>> alterTable(
      TablePath path, long expectedId, TableAlteration alteration) {
    CompletableFuture<Versioned<Table>> altered =
        alterTable(path, expectedId, alteration, MAX_PLANS);
    return ReplicationFactors.concerns(alteration) ? altered.thenCompose(this::resized) : altered;
  }

  private CompletableFuture<Versioned<Table>> resized(Versioned<Table> altered) {
    return ReplicationFactors.resize(log, altered.image(), altered.value(), diskUsedBytes)
        .thenApply(
            done -> {
              MetadataImage image = log.current();
              Table table = image.state().table(altered.value().tableId());
              return table == null ? altered : new Versioned<>(image, table);
            });
  }

  private CompletableFuture<Versioned<Table>> alterTable(
      TablePath path, long expectedId, TableAlteration alteration, int plansLeft) {
    return table(path, expectedId)
        .thenCompose(
            found -> {
              if (ReplicationFactors.concerns(alteration)) {
                ReplicationFactors.check(
                    path, alteration, Placement.of(found.image().state(), diskUsedBytes));
              }
              Optional<Command.AlterTable> command = AlterRules.plan(found.value(), alteration);
              if (command.isEmpty()) {
                return CompletableFuture.completedFuture(found);
              }
              return log.submit(command.get())
                  .thenCompose(
                      applied ->
                          isRejected(applied.outcome(), ErrorCode.SCHEMA_CHANGED) && plansLeft > 1
                              ? alterTable(path, expectedId, alteration, plansLeft - 1)
                              : altered(applied.outcome(), path));
            });
  }

  private CompletableFuture<Versioned<Table>> altered(Outcome outcome, TablePath path) {
    long tableId = outcome.orThrow().id();
    MetadataImage image = log.current();
    Table table = image.state().table(tableId);
    if (table == null) {
      throw tableNotFound(path);
    }
    LOG.info(
        "Table {} altered: id {}, version {}, schema {}",
        path,
        tableId,
        table.version(),
        table.schema().schemaId());
    return CompletableFuture.completedFuture(new Versioned<>(image, table));
  }

  /**
   * Creates a partition; PARTITION_EXISTS unless an existing one will do.
   *
   * @param expectedId when not 0, the table must still have this id, else TABLE_CHANGED
   * @param values one text for each partition column, canonical or not
   */
  public CompletableFuture<Partition> createPartition(
      TablePath path, long expectedId, List<String> values, boolean ignoreIfExists) {
    return createPartition(path, expectedId, values, ignoreIfExists, MAX_PLANS);
  }

  private CompletableFuture<Partition> createPartition(
      TablePath path, long expectedId, List<String> given, boolean ignoreIfExists, int plansLeft) {
    return table(path, expectedId)
        .thenCompose(
            found -> {
              Table table = found.value();
              List<String> values = PartitionRules.canonical(table, given);
              Partition existing = table.partition(values);
              if (existing != null && ignoreIfExists) {
                return CompletableFuture.completedFuture(existing);
              }
              if (existing != null) {
                throw new SluiceException(
                    ErrorCode.PARTITION_EXISTS,
                    "Partition "
                        + PartitionRules.name(table, values)
                        + " of table "
                        + path
                        + " exists");
              }
              Command.CreatePartition command =
                  PartitionRules.plan(
                      table,
                      values,
                      Placement.of(found.image().state(), diskUsedBytes),
                      time.epochMs());
              return log.submit(command)
                  .thenCompose(
                      applied -> {
                        Outcome outcome = applied.outcome();
                        boolean raced =
                            ignoreIfExists && isRejected(outcome, ErrorCode.PARTITION_EXISTS);
                        boolean stale = isRejected(outcome, ErrorCode.NOT_ENOUGH_SERVERS);
                        if ((raced || stale) && plansLeft > 1) {
                          return createPartition(
                              path, expectedId, given, ignoreIfExists, plansLeft - 1);
                        }
                        long id = outcome.orThrow().id();
                        LOG.info(
                            "Partition {} of table {} created: id {}, {} buckets",
                            PartitionRules.name(table, values),
                            path,
                            id,
                            table.bucketCount());
                        return CompletableFuture.completedFuture(
                            new Partition(id, values, command.nowMs()));
                      });
            });
  }

  /** Drops a partition with its rows; tells whether there was one. */
  public CompletableFuture<Boolean> dropPartition(
      TablePath path, List<String> given, boolean ignoreIfMissing) {
    return table(path)
        .thenCompose(
            found -> {
              Table table = found.value();
              List<String> values = PartitionRules.canonical(table, given);
              Partition partition = table.partition(values);
              if (partition == null && ignoreIfMissing) {
                return CompletableFuture.completedFuture(false);
              }
              if (partition == null) {
                throw new SluiceException(
                    ErrorCode.PARTITION_NOT_FOUND,
                    "Table " + path + " has no partition " + PartitionRules.name(table, values));
              }
              return log.submit(new Command.DropPartition(table.tableId(), partition.partitionId()))
                  .thenApply(
                      applied -> {
                        if (ignoreIfMissing
                            && isRejected(applied.outcome(), ErrorCode.PARTITION_NOT_FOUND)) {
                          return false;
                        }
                        applied.outcome().orThrow();
                        LOG.info(
                            "Partition {} of table {} dropped: id {}",
                            PartitionRules.name(table, values),
                            path,
                            partition.partitionId());
                        return true;
                      });
            });
  }

  /** Drops a table; tells whether there was one. */
  public CompletableFuture<Boolean> dropTable(TablePath path, boolean ignoreIfMissing) {
    return log.submit(new Command.DropTable(path))
        .thenApply(
            applied -> {
              if (ignoreIfMissing && isRejected(applied.outcome(), ErrorCode.TABLE_NOT_FOUND)) {
                return false;
              }
              long tableId = applied.outcome().orThrow().id();
              LOG.info("Table {} dropped: id {}", path, tableId);
              return true;
            });
  }

  /** The table of that name; TABLE_NOT_FOUND when there is none. */
  public CompletableFuture<Versioned<Table>> table(TablePath path) {
    return log.readLatest()
        .thenApply(
            image -> {
              Table table = image.state().table(path);
              if (table == null) {
                throw tableNotFound(path);
              }
              return new Versioned<>(image, table);
            });
  }

  private CompletableFuture<Versioned<Table>> table(TablePath path, long expectedId) {
    return table(path)
        .thenApply(
            found -> {
              if (expectedId != 0 && found.value().tableId() != expectedId) {
                throw new SluiceException(
                    ErrorCode.TABLE_CHANGED,
                    "Table "
                        + path
                        + " was dropped and created again: its id is "
                        + found.value().tableId()
                        + ", not "
                        + expectedId);
              }
              return found;
            });
  }

  /** The table of that id; TABLE_NOT_FOUND when there is none. */
  public CompletableFuture<Versioned<Table>> table(long tableId) {
    return log.readLatest()
        .thenApply(
            image -> {
              Table table = image.state().table(tableId);
              if (table == null) {
                throw new SluiceException(
                    ErrorCode.TABLE_NOT_FOUND, "There is no table with id " + tableId);
              }
              return new Versioned<>(image, table);
            });
  }

  /**
   * Gives a writer its id and epoch, once that is committed; an empty name is a nameless writer.
   */
  public CompletableFuture<Outcome.Accepted> initWriter(String name) {
    if (!name.isEmpty()) {
      Names.checkWriter(name);
    }
    return log.submit(new Command.InitWriter(name))
        .thenApply(applied -> applied.outcome().orThrow());
  }

  private static Versioned<Database> findDatabase(MetadataImage image, String name) {
    Database database = image.state().databases().get(name);
    if (database == null) {
      throw new SluiceException(
          ErrorCode.DATABASE_NOT_FOUND, "Database " + name + " does not exist; create it first");
    }
    return new Versioned<>(image, database);
  }

  private static boolean isRejected(Outcome outcome, ErrorCode code) {
    return outcome instanceof Outcome.Rejected rejected && rejected.code() == code;
  }

  private static SluiceException tableExists(TablePath path) {
    return new SluiceException(ErrorCode.TABLE_EXISTS, "Table " + path + " exists");
  }

  private static SluiceException tableNotFound(TablePath path) {
    return new SluiceException(ErrorCode.TABLE_NOT_FOUND, "Table " + path + " does not exist");
  }
}
