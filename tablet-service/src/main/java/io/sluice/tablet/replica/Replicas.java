package io.sluice.tablet.replica;

import io.sluice.common.TableBucket;
import io.sluice.common.TablePath;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The replicas and tables on this server, as the protocol layer sees them. Thread-safe. */
public interface Replicas {
  /** The replica, or NOT_LEADER (with the leader when known) or BUCKET_NOT_FOUND. */
  Replica require(TableBucket bucket);

  /** The replicas of the table on this server, by bucket. */
  Collection<Replica> ofTable(long tableId);

  /** Every replica on this server. */
  Collection<Replica> all();

  /** The table of that id, when this server knows it. */
  @Nullable HostedTable table(long tableId);

  /** The table of that name, when this server knows it. */
  @Nullable HostedTable table(TablePath path);
}
