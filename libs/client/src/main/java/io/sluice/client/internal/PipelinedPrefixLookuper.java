package io.sluice.client.internal;

import io.sluice.client.Key;
import io.sluice.client.PrefixLookuper;
import io.sluice.client.TableDescription;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.row.Row;
import io.sluice.protocol.kv.v1.LookupKind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The lookuper of prefixes. */
final class PipelinedPrefixLookuper implements PrefixLookuper {
  private static final int NO_LIMIT = 0;

  private final ClientCore core;
  private final PrefixKeys keys;
  private final RowValues values;
  private final @Nullable LookupPartitions partitions;
  private final LookupPipeline prefixes;

  PipelinedPrefixLookuper(
      ClientCore core, TableDescription table, PrefixKeys keys, RowValues values) {
    this.core = core;
    this.keys = keys;
    this.values = values;
    this.partitions = table.partitioned() ? new LookupPartitions(core, table, keys.schema()) : null;
    this.prefixes = new LookupPipeline(core, table, LookupKind.LOOKUP_PREFIX, partitions);
  }

  @Override
  public CompletableFuture<List<Row>> lookup(Key prefix) {
    return submit(prefix, NO_LIMIT);
  }

  @Override
  public CompletableFuture<List<Row>> lookup(Key prefix, int limit) {
    if (limit < 1) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "The limit of a prefix lookup is " + limit + "; it must be at least 1");
    }
    return submit(prefix, limit);
  }

  private CompletableFuture<List<Row>> submit(Key prefix, int limit) {
    Row given = prefix.row();
    byte[] encoded = keys.encode(given);
    LookupPartitions parts = partitions;
    PrefixLookup lookup =
        new PrefixLookup(
            values,
            parts == null ? List.of() : parts.values(given),
            keys.bucket(given),
            encoded,
            limit,
            prefixes.deadlineNanos());
    prefixes.submit(lookup);
    return lookup.future();
  }

  @Override
  public List<Row> find(Key prefix) {
    return prefixes.await(lookup(prefix));
  }

  @Override
  public List<Row> find(Key prefix, int limit) {
    return prefixes.await(lookup(prefix, limit));
  }

  @Override
  public void close() {
    core.forget(this);
    prefixes.close("prefix lookuper");
  }
}
