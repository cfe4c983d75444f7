package io.sluice.lake.catalog;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.MetadataUpdate;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.exceptions.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * Table operations whose commit says what happened. The catalog's client sends a statement again
 * when its connection breaks, so a commit that took effect may come back as a conflict; whoever
 * believed that would delete the manifests of a committed snapshot. A failed commit is therefore
 * looked up before it is passed on, a failure of the database is "unknown" unless its effect can be
 * seen, and success is told only when the catalog is on disk.
 */
final class SettledTableOperations extends ForwardingTableOperations {
  private final Runnable force;

  /**
   * @param force makes what the catalog committed durable
   */
  SettledTableOperations(TableOperations delegate, Runnable force) {
    super(delegate);
    this.force = force;
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    try {
      delegate.commit(base, metadata);
    } catch (RuntimeException failure) {
      if (!tookEffect(metadata, failure)) {
        throw definite(failure) ? failure : unknown(failure);
      }
    }
    try {
      force.run();
    } catch (RuntimeException failure) {
      throw unknown(failure);
    }
  }

  /** Whether the snapshots that this commit added are in the table now. */
  private boolean tookEffect(TableMetadata metadata, RuntimeException failure) {
    List<Long> added = new ArrayList<>();
    for (MetadataUpdate change : metadata.changes()) {
      if (change instanceof MetadataUpdate.AddSnapshot snapshot) {
        added.add(snapshot.snapshot().snapshotId());
      }
    }
    if (added.isEmpty()) {
      return false;
    }
    try {
      TableMetadata now = delegate.refresh();
      for (long id : added) {
        if (now.snapshot(id) == null) {
          return false;
        }
      }
      return true;
    } catch (NoSuchTableException gone) {
      return false;
    } catch (RuntimeException unreadable) {
      failure.addSuppressed(unreadable);
      throw unknown(failure);
    }
  }

  /**
   * Failures after which nothing will take effect any more: the catalog said no, or the metadata
   * file could not be written and the catalog was not asked.
   */
  private static boolean definite(RuntimeException failure) {
    return failure instanceof CommitFailedException
        || failure instanceof AlreadyExistsException
        || failure instanceof ValidationException
        || failure instanceof NoSuchTableException
        || failure instanceof BadRequestException
        || failure instanceof RuntimeIOException
        || failure instanceof UncheckedIOException;
  }

  private static CommitStateUnknownException unknown(RuntimeException failure) {
    return failure instanceof CommitStateUnknownException known
        ? known
        : new CommitStateUnknownException(failure);
  }

  @Override
  public boolean requireStrictCleanup() {
    return true;
  }
}
