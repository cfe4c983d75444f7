package io.sluice.lake.commit;

import io.sluice.lake.catalog.ForwardingTableOperations;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.jspecify.annotations.Nullable;

/**
 * Table operations of one commit: every metadata that is swapped in sets our properties together
 * with the snapshot, and was checked against exactly the state that it replaces.
 */
final class RoundOperations extends ForwardingTableOperations {
  private final Consumer<TableMetadata> check;
  private final Map<String, String> properties;

  /**
   * @param check throws when nothing may be committed on that state
   * @param properties what the commit sets
   */
  RoundOperations(
      TableOperations delegate, Consumer<TableMetadata> check, Map<String, String> properties) {
    super(delegate);
    this.check = check;
    this.properties = Map.copyOf(properties);
  }

  @Override
  public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
    if (base != null) {
      check.accept(base);
    }
    delegate.commit(base, TableMetadata.buildFrom(metadata).setProperties(properties).build());
  }

  @Override
  public boolean requireStrictCleanup() {
    return true;
  }
}
