package io.sluice.lake.catalog;

import java.nio.file.Path;
import java.util.function.Supplier;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.jspecify.annotations.Nullable;

/** Table operations under the settling ones whose commits fail as they are told to. */
public final class FaultyOperations extends ForwardingTableOperations {
  private final Faults faults;

  /** What the next commits do; shared by all tables of a store. */
  public static final class Faults {
    private @Nullable Supplier<RuntimeException> before;
    private @Nullable Supplier<RuntimeException> after;
    private @Nullable Runnable race;
    private boolean unreadable;

    /** The next commit fails without having done anything. */
    public synchronized void failBefore(@Nullable Supplier<RuntimeException> failure) {
      before = failure;
    }

    /** The next commit takes effect and then fails. */
    public synchronized void failAfter(@Nullable Supplier<RuntimeException> failure) {
      after = failure;
    }

    /** Something else happens just before the next commit. */
    public synchronized void raceWith(Runnable other) {
      race = other;
    }

    /** Whether refreshing fails, as long as it is set. */
    public synchronized void unreadable(boolean now) {
      unreadable = now;
    }

    private synchronized @Nullable Runnable takeRace() {
      Runnable taken = race;
      race = null;
      return taken;
    }

    private synchronized @Nullable RuntimeException takeBefore() {
      Supplier<RuntimeException> taken = before;
      before = null;
      return taken == null ? null : taken.get();
    }

    private synchronized @Nullable RuntimeException takeAfter() {
      Supplier<RuntimeException> taken = after;
      after = null;
      return taken == null ? null : taken.get();
    }
  }

  public FaultyOperations(TableOperations delegate, Faults faults) {
    super(delegate);
    this.faults = faults;
  }

  /** A store whose commits fail as told. */
  public static CatalogStore open(Path directory, Path warehouse, Faults faults) {
    return CatalogStore.open(
        directory, warehouse, operations -> new FaultyOperations(operations, faults));
  }

  @Override
  public TableMetadata refresh() {
    synchronized (faults) {
      if (faults.unreadable) {
        throw new IllegalStateException("injected: the catalog cannot be read");
      }
    }
    return delegate.refresh();
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    Runnable race = faults.takeRace();
    if (race != null) {
      race.run();
    }
    RuntimeException before = faults.takeBefore();
    if (before != null) {
      throw before;
    }
    delegate.commit(base, metadata);
    RuntimeException after = faults.takeAfter();
    if (after != null) {
      throw after;
    }
  }
}
