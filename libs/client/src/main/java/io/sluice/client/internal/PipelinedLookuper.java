package io.sluice.client.internal;

import io.sluice.client.Key;
import io.sluice.client.Lookuper;
import io.sluice.client.TableDescription;
import io.sluice.format.row.Row;
import io.sluice.protocol.kv.v1.LookupKind;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The lookuper of whole keys. Lookups that make missing rows go their own way: they wait for the
 * changelog, and nothing should wait for them.
 */
final class PipelinedLookuper implements Lookuper {
  private static final String WHAT = "lookuper";

  private final ClientCore core;
  private final TableKeys keys;
  private final RowValues values;
  private final @Nullable LookupPartitions partitions;
  private final LookupPipeline rows;
  private final LookupPipeline inserts;

  PipelinedLookuper(ClientCore core, TableDescription table, RowValues values) {
    this.core = core;
    this.keys = new TableKeys(table);
    this.values = values;
    this.partitions = table.partitioned() ? new LookupPartitions(core, table, keys.schema()) : null;
    this.rows = new LookupPipeline(core, table, LookupKind.LOOKUP_ROW, partitions);
    this.inserts = new LookupPipeline(core, table, LookupKind.LOOKUP_INSERT_IF_ABSENT, partitions);
  }

  @Override
  public CompletableFuture<Optional<Row>> lookup(Key key) {
    Row given = key.row();
    byte[] encoded = keys.encode(given);
    RowLookup lookup =
        new RowLookup(values, partition(given), keys.bucket(given), encoded, rows.deadlineNanos());
    rows.submit(lookup);
    return lookup.future();
  }

  @Override
  public CompletableFuture<Row> lookupOrInsert(Key key) {
    Row given = key.row();
    byte[] encoded = keys.encode(given);
    InsertingLookup lookup =
        new InsertingLookup(
            values, partition(given), keys.bucket(given), encoded, inserts.deadlineNanos());
    inserts.submit(lookup);
    return lookup.future();
  }

  private List<String> partition(Row key) {
    LookupPartitions parts = partitions;
    return parts == null ? List.of() : parts.values(key);
  }

  @Override
  public Optional<Row> find(Key key) {
    return rows.await(lookup(key));
  }

  @Override
  public Row findOrInsert(Key key) {
    return inserts.await(lookupOrInsert(key));
  }

  @Override
  public void close() {
    core.forget(this);
    rows.close(WHAT);
    inserts.close(WHAT);
  }
}
