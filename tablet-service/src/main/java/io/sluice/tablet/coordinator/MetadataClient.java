package io.sluice.tablet.coordinator;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.InitWriterRequest;
import io.sluice.protocol.metadata.v1.InitWriterResponse;
import io.sluice.protocol.metadata.v1.ListTablesRequest;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc.MetadataServiceBlockingStub;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Blocking client of the coordinators' metadata service. Follows the leader, and asks another
 * coordinator when one cannot be reached. Thread-safe; never called on an event loop.
 */
public final class MetadataClient implements Metadata {
  private static final String LEADER_DETAIL = "leader";

  private final CoordinatorChannels channels;
  private final TimeSource clock;
  private final Duration timeout;

  /**
   * @param timeout bound of one call with all its attempts
   */
  public MetadataClient(CoordinatorChannels channels, TimeSource clock, Duration timeout) {
    this.channels = channels;
    this.clock = clock;
    this.timeout = timeout;
  }

  @Override
  public TableInfo table(TablePath path) {
    GetTableRequest request =
        GetTableRequest.newBuilder().setDatabase(path.database()).setTable(path.table()).build();
    return call(true, stub -> stub.getTable(request));
  }

  @Override
  public List<TableInfo> tables(String database) {
    ListTablesRequest request = ListTablesRequest.newBuilder().setDatabase(database).build();
    return call(true, stub -> stub.listTables(request)).getTablesList();
  }

  @Override
  public InitWriterResponse initWriter(String name) {
    // Asking twice only raises the epoch twice.
    InitWriterRequest request = InitWriterRequest.newBuilder().setName(name).build();
    return call(true, stub -> stub.initWriter(request));
  }

  @Override
  public <T> T read(Function<MetadataServiceBlockingStub, T> request) {
    return call(true, request);
  }

  @Override
  public <T> T change(Function<MetadataServiceBlockingStub, T> request) {
    return call(false, request);
  }

  private <T> T call(boolean repeatable, Function<MetadataServiceBlockingStub, T> request) {
    long deadline = clock.nanoTime() + timeout.toNanos();
    // Each coordinator once, and once more for a leader that was named on the way.
    int attempts = channels.size() + 2;
    for (int attempt = 1; ; attempt++) {
      String address = channels.current();
      try {
        long left = Math.max(1, deadline - clock.nanoTime());
        return request.apply(
            MetadataServiceGrpc.newBlockingStub(channels.channel(address))
                .withDeadlineAfter(left, TimeUnit.NANOSECONDS));
      } catch (RuntimeException e) {
        SluiceException failure = StatusMapping.fromStatus(e);
        boolean again = attempt < attempts && clock.nanoTime() < deadline;
        if (!again || !moveOn(address, failure, repeatable)) {
          throw failure;
        }
      }
    }
  }

  /** Chooses another coordinator; false when asking again would not help or might act twice. */
  private boolean moveOn(String address, SluiceException failure, boolean repeatable) {
    if (failure.code() == ErrorCode.NOT_COORDINATOR_LEADER) {
      String leader = failure.details().get(LEADER_DETAIL);
      if (leader != null && !leader.isEmpty()) {
        channels.follow(leader);
      } else {
        channels.advance(address);
      }
      return true;
    }
    if (failure.code() == ErrorCode.UNAVAILABLE) {
      channels.advance(address);
      return repeatable && channels.size() > 1;
    }
    return false;
  }
}
