package io.sluice.lake.commit;

import java.util.Map;
import java.util.function.Consumer;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/**
 * Table operations of one commit: every metadata that is swapped in sets our properties together
 * with the snapshot, and was checked against exactly the state that it replaces.
 */
final class RoundOperations implements TableOperations {
  private final TableOperations delegate;
  private final Consumer<TableMetadata> check;
  private final Map<String, String> properties;

  /**
   * @param check throws when nothing may be committed on that state
   * @param properties what the commit sets
   */
  RoundOperations(
      TableOperations delegate, Consumer<TableMetadata> check, Map<String, String> properties) {
    this.delegate = delegate;
    this.check = check;
    this.properties = Map.copyOf(properties);
  }

  @Override
  public TableMetadata current() {
    return delegate.current();
  }

  @Override
  public TableMetadata refresh() {
    return delegate.refresh();
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    if (base != null) {
      check.accept(base);
    }
    delegate.commit(base, TableMetadata.buildFrom(metadata).setProperties(properties).build());
  }

  @Override
  public FileIO io() {
    return delegate.io();
  }

  @Override
  public EncryptionManager encryption() {
    return delegate.encryption();
  }

  @Override
  public String metadataFileLocation(String fileName) {
    return delegate.metadataFileLocation(fileName);
  }

  @Override
  public LocationProvider locationProvider() {
    return delegate.locationProvider();
  }

  @Override
  public TableOperations temp(TableMetadata uncommitted) {
    return delegate.temp(uncommitted);
  }

  @Override
  public long newSnapshotId() {
    return delegate.newSnapshotId();
  }

  @Override
  public boolean requireStrictCleanup() {
    return true;
  }
}
