package io.sluice.tablet.replication.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.replication.v1.KvCheckpointPart;
import io.sluice.protocol.replication.v1.KvCheckpointRequest;
import io.sluice.protocol.replication.v1.ReplicationServiceGrpc;
import io.sluice.tablet.kv.KvPosition;
import io.sluice.tablet.kv.KvResources;
import io.sluice.tablet.kv.KvSettings;
import io.sluice.tablet.kv.KvStore;
import io.sluice.tablet.kv.StoreRows;
import io.sluice.tablet.kv.snapshot.BucketSnapshots;
import io.sluice.tablet.kv.snapshot.SnapshotCopy;
import io.sluice.tablet.kv.snapshot.SnapshotStats;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that go from one server to another over a connection. */
final class CheckpointTransferTest {
  private static final TableBucket BUCKET = new TableBucket(7, 3, 1);
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int MIB = 1 << 20;
  private static final int EPOCH = 5;
  private static final int SMALL_ROWS = 60_000;
  private static final int ROWS = SMALL_ROWS + 8;

  /** Little fits in, so the leader cannot have sent all of its rows before anything is taken. */
  private static final int WINDOW_BYTES = 64 << 10;

  @TempDir private Path temp;
  private KvResources resources;
  private KvStore store;
  private BucketSnapshots snapshots;
  private CheckpointSource source;
  private Server server;
  private ManagedChannel channel;
  private CheckpointFetcher fetcher;
  private volatile CheckpointPace pace = CheckpointPace.UNLIMITED;

  @BeforeEach
  void start() throws Exception {
    resources = KvResources.open(new KvSettings(16 * MIB, 8 * MIB, MIB, 32, 1, 60_000, MIB));
    Path home = Files.createDirectory(temp.resolve("leader"));
    store = KvStore.open(resources, BUCKET, home.resolve("kv"), () -> {});
    for (int from = 0; from < SMALL_ROWS; from += 10_000) {
      StoreRows.put(store, from, from + 10_000, "a text that makes a few files of some size ");
    }
    byte[] noise = new byte[MIB];
    Random random = new Random(17);
    for (int row = SMALL_ROWS; row < ROWS; row++) {
      random.nextBytes(noise);
      StoreRows.put(store, row, row + 1, Base64.getEncoder().encodeToString(noise));
      store.flush();
    }
    snapshots = BucketSnapshots.open(home, BUCKET, Long.MAX_VALUE, new SnapshotStats());
    source = new CheckpointSource(this::copy);
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(new Service())
            .build()
            .start();
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
            .usePlaintext()
            .flowControlWindow(WINDOW_BYTES)
            .build();
    fetcher = new CheckpointFetcher(2, leader -> channel, bytes -> pace.taken(bytes));
  }

  private final class Service extends ReplicationServiceGrpc.ReplicationServiceImplBase {
    @Override
    public void fetchKvCheckpoint(
        KvCheckpointRequest request, StreamObserver<KvCheckpointPart> answers) {
      source.send(request, answers);
    }
  }

  private SnapshotCopy copy(TableBucket bucket, int epoch) {
    if (epoch != EPOCH || !bucket.equals(BUCKET)) {
      throw new SluiceException(ErrorCode.NOT_LEADER, "Not here");
    }
    return snapshots.copy(store, 1, 1_000);
  }

  @AfterEach
  void stop() throws Exception {
    fetcher.close();
    channel.shutdownNow();
    source.close();
    server.shutdownNow();
    assertThat(server.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    snapshots.close();
    resources.close();
    assertThat(copies()).isEmpty();
    assertThat(source.openStreams()).isZero();
  }

  private List<Path> copies() throws IOException {
    Path directory = temp.resolve("leader").resolve(BucketSnapshots.DIRECTORY);
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(directory)) {
      return all.toList();
    }
  }

  private CompletableFuture<KvPosition> fetch(String name, int epoch) {
    return fetcher.fetch(BUCKET, 1, epoch, temp.resolve(name));
  }

  private static ErrorCode refusal(CompletableFuture<KvPosition> result) throws Exception {
    try {
      throw new AssertionError("Came: " + result.get(30, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return ((SluiceException) e.getCause()).code();
    }
  }

  @Test
  void theRowsArriveWholeWhileTheLeaderWrites() throws Exception {
    CompletableFuture<KvPosition> coming = fetch("rows", EPOCH);
    StoreRows.put(store, 0, 100, "written since ");
    KvPosition position = coming.get(30, TimeUnit.SECONDS);
    assertThat(position.rowCount()).isEqualTo(ROWS);
    assertThat(position.appliedOffset()).isBetween((long) ROWS, ROWS + 100L);
    try (KvStore arrived = KvStore.open(resources, BUCKET, temp.resolve("rows"), () -> {})) {
      assertThat(arrived.position()).isEqualTo(position);
      for (int row = 100; row < ROWS; row += 777) {
        assertThat(StoreRows.text(arrived, row)).isEqualTo(StoreRows.text(store, row));
      }
    }
    Await.until("copy removed", SOON, () -> copies().isEmpty() && source.openStreams() == 0);
  }

  @Test
  void anotherEpochIsRefused() throws Exception {
    assertThat(refusal(fetch("rows", EPOCH + 1))).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(temp.resolve("rows")).doesNotExist();
  }

  @Test
  void nothingIsMadeWhereTheBucketHasBeenRemoved() throws Exception {
    assertThat(refusal(fetcher.fetch(BUCKET, 1, EPOCH, temp.resolve("gone").resolve("rows"))))
        .isEqualTo(ErrorCode.STORAGE_ERROR);
    assertThat(temp.resolve("gone")).doesNotExist();
    Await.until("copy removed", SOON, () -> copies().isEmpty());
  }

  @Test
  void aFetchThatIsNotWantedAnyMoreLeavesNothing() throws Exception {
    Semaphore go = new Semaphore(1);
    pace = bytes -> go.acquire();
    CompletableFuture<KvPosition> coming = fetch("rows", EPOCH);
    Await.until("begun", SOON, go::hasQueuedThreads);
    assertThat(coming.cancel(false)).isTrue();
    go.release(1_000);
    Await.until(
        "removed",
        SOON,
        () ->
            !Files.exists(temp.resolve("rows")) && copies().isEmpty() && source.openStreams() == 0);
  }

  @Test
  void aLeaderThatStopsEndsItsStreams() throws Exception {
    Semaphore go = new Semaphore(0);
    pace = bytes -> go.acquire();
    CompletableFuture<KvPosition> coming = fetch("rows", EPOCH);
    Await.until("begun", SOON, () -> source.openStreams() == 1 && go.hasQueuedThreads());
    source.close();
    go.release(1_000);
    assertThat(refusal(coming)).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(temp.resolve("rows")).doesNotExist();
    assertThat(refusal(fetch("rows", EPOCH))).isEqualTo(ErrorCode.UNAVAILABLE);
  }

  @Test
  void fewAreSentAtATime() throws Exception {
    Semaphore go = new Semaphore(0);
    pace = bytes -> go.acquire();
    List<CheckpointFetcher> fetchers = new ArrayList<>();
    List<CompletableFuture<KvPosition>> coming = new ArrayList<>();
    for (int i = 0; i < CheckpointSource.MOST_STREAMS; i++) {
      CheckpointFetcher each = new CheckpointFetcher(2, leader -> channel, b -> pace.taken(b));
      fetchers.add(each);
      coming.add(each.fetch(BUCKET, 1, EPOCH, temp.resolve("rows" + i)));
    }
    Await.until("all begun", SOON, () -> source.openStreams() == CheckpointSource.MOST_STREAMS);
    assertThat(refusal(fetch("rows", EPOCH))).isEqualTo(ErrorCode.BACKPRESSURE);
    go.release(10_000);
    for (CompletableFuture<KvPosition> each : coming) {
      assertThat(each.get(30, TimeUnit.SECONDS).rowCount()).isEqualTo(ROWS);
    }
    fetchers.forEach(CheckpointFetcher::close);
  }

  @Test
  void anUnknownLeaderIsNoAnswer() {
    try (CheckpointFetcher lost =
        new CheckpointFetcher(
            2,
            leader -> {
              throw new SluiceException(ErrorCode.UNAVAILABLE, "Where is server " + leader + "?");
            },
            CheckpointPace.UNLIMITED)) {
      CompletableFuture<KvPosition> result = lost.fetch(BUCKET, 9, EPOCH, temp.resolve("rows"));
      assertThatThrownBy(() -> result.get(10, TimeUnit.SECONDS))
          .hasMessageContaining("Where is server 9?");
      assertThat(temp.resolve("rows")).doesNotExist();
    }
  }
}
