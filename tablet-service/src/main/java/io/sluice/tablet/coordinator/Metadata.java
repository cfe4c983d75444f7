package io.sluice.tablet.coordinator;

import io.sluice.common.TablePath;
import io.sluice.protocol.metadata.v1.InitWriterResponse;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc.MetadataServiceBlockingStub;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.util.List;
import java.util.function.Function;

/**
 * The cluster's metadata as the tablet asks for it. Every method blocks for a bounded time and
 * fails with the coordinator's error, or UNAVAILABLE when none answers.
 */
public interface Metadata {
  /** The table of that name; TABLE_NOT_FOUND when there is none. */
  TableInfo table(TablePath path);

  /** The tables of the database, of all databases when it is empty. */
  List<TableInfo> tables(String database);

  /** Id and next epoch of the named writer. */
  InitWriterResponse initWriter(String name);

  /** Any other question, asked again elsewhere when a coordinator is away. */
  <T> T read(Function<MetadataServiceBlockingStub, T> request);

  /** Any change, sent again only when it is certain that it was not made. */
  <T> T change(Function<MetadataServiceBlockingStub, T> request);
}
