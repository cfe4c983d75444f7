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
 * coordinator when one cannot be reached; while none leads it asks again after short pauses, within
 * its time. Thread-safe; never called on an event loop.
 */
public final class MetadataClient implements Metadata {
  private static final long FIRST_PAUSE_NANOS = 20_000_000;
  private static final long LONGEST_PAUSE_NANOS = 160_000_000;
  private static final int MAX_DOUBLINGS = 5;

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
    int sincePause = 0;
    int pauses = 0;
    while (true) {
      String address = channels.current();
      try {
        long left = Math.max(1, deadline - clock.nanoTime());
        return request.apply(
            MetadataServiceGrpc.newBlockingStub(channels.channel(address))
                .withDeadlineAfter(left, TimeUnit.NANOSECONDS));
      } catch (RuntimeException e) {
        SluiceException failure = StatusMapping.fromStatus(e);
        if (!moveOn(address, failure, repeatable)) {
          throw failure;
        }
        // Each coordinator once, and once more for a leader that was named on the way; then an
        // election is waited for.
        boolean atOnce = ++sincePause <= channels.size() && !channels.current().equals(address);
        long pause = atOnce ? 0 : pauseNanos(++pauses);
        if (deadline - clock.nanoTime() <= pause) {
          throw failure;
        }
        if (!atOnce) {
          sincePause = 0;
          pause(pause, failure);
        }
      }
    }
  }

  private static long pauseNanos(int pauses) {
    return Math.min(FIRST_PAUSE_NANOS << Math.min(pauses - 1, MAX_DOUBLINGS), LONGEST_PAUSE_NANOS);
  }

  private static void pause(long nanos, SluiceException failure) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /** Chooses another coordinator; false when asking again would not help or might act twice. */
  private boolean moveOn(String address, SluiceException failure, boolean repeatable) {
    if (failure.code() == ErrorCode.NOT_COORDINATOR_LEADER) {
      channels.moveOn(address, failure);
      return true;
    }
    if (failure.code() == ErrorCode.UNAVAILABLE) {
      channels.advance(address);
      return repeatable && channels.size() > 1;
    }
    return false;
  }
}
