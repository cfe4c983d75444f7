package io.sluice.tablet.flight;

import io.grpc.BindableService;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.sluice.format.batch.BatchEncoders;
import io.sluice.protocol.flight.FlightFrames;
import io.sluice.protocol.flight.FlightMethods;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.apache.arrow.memory.BufferAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code arrow.flight.protocol.FlightService} of a tablet: metadata calls by the generated base
 * class, DoGet, DoPut and DoExchange by handlers of our own that work on frames. Owns the scan
 * threads, the retry timer and the connections to other tablets; {@link #close} twice is harmless.
 */
public final class TabletFlightService implements BindableService, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TabletFlightService.class);
  private static final int PUT_WORKERS = 2;
  private static final int IDLE_ENCODERS = 4;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final FlightMetadataService metadataCalls;
  private final PutHandler puts;
  private final GetHandler gets;
  private final ExchangeHandler exchanges;
  private final BufferAllocator allocator;
  private final BatchEncoders encoders;
  private final FlightMeters meters;
  private final ExecutorService scanThreads;
  private final ScheduledExecutorService retries;
  private final ExecutorService putCalls;
  private final ExecutorService putWork;
  private final PeerChannels peers;

  /** A service that is bound to a server by {@link #bindService}. */
  public TabletFlightService(FlightContext context) {
    FlightSettings settings = context.settings();
    this.allocator = context.allocator();
    this.encoders = new BatchEncoders(allocator, IDLE_ENCODERS);
    this.meters = context.meters();
    this.scanThreads = Executors.newFixedThreadPool(settings.scanThreads(), threads("flight-scan"));
    ScheduledThreadPoolExecutor retrying =
        new ScheduledThreadPoolExecutor(1, threads("flight-retry"));
    retrying.setRemoveOnCancelPolicy(true);
    this.retries = retrying;
    this.putCalls = Executors.newCachedThreadPool(threads("flight-put"));
    this.putWork = Executors.newFixedThreadPool(PUT_WORKERS, threads("flight-put-work"));
    this.peers = new PeerChannels();
    TableDirectory directory =
        new TableDirectory(
            settings.serverId(), context.replicas(), context.metadata(), context.applied());
    this.metadataCalls =
        new FlightMetadataService(
            directory, new FlightActions(directory, settings, context.clusterId()));
    this.puts =
        new PutHandler(
            new PutContext(
                directory,
                settings,
                new ConnectionBudgets(settings.unansweredBytes()),
                allocator,
                encoders,
                peers,
                retries,
                putCalls,
                putWork,
                meters,
                context.clock(),
                context.lookups().meters()));
    this.gets = new GetHandler(context, directory, scanThreads);
    this.exchanges = new ExchangeHandler(context, directory, peers);
  }

  @Override
  public ServerServiceDefinition bindService() {
    return FlightMethods.replaceIn(
        metadataCalls.bindService(),
        ServerMethodDefinition.create(TicketBytes.doGet(), gets),
        ServerMethodDefinition.create(
            FlightMethods.doPutServer(allocator, FlightSettings.MAX_MESSAGE_BYTES), puts),
        ServerMethodDefinition.create(
            FlightServiceGrpc.getDoExchangeMethod().toBuilder(
                    FlightFrames.inbound(allocator, FlightSettings.MAX_MESSAGE_BYTES),
                    FlightFrames.outbound())
                .build(),
            exchanges));
  }

  /**
   * Refuses what is put from now on with UNAVAILABLE and ends every scan; puts already taken are
   * answered.
   */
  public void stopAccepting() {
    puts.stopAccepting();
    gets.stop();
  }

  /** Put streams and scans open now. */
  public int openStreams() {
    return meters.openPuts() + meters.openScans();
  }

  /** Bytes of the allocator that are kept for the next upload, whoever sends it. */
  public long idleBytes() {
    return encoders.idleBytes();
  }

  @Override
  public void close() {
    stopAccepting();
    retries.shutdownNow();
    putCalls.shutdown();
    putWork.shutdown();
    scanThreads.shutdown();
    peers.close();
    try {
      awaitEnd(scanThreads, "Scan threads");
      awaitEnd(putCalls, "Threads of put calls");
      awaitEnd(putWork, "Threads that cut and forward puts");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    encoders.close();
  }

  private static void awaitEnd(ExecutorService threads, String what) throws InterruptedException {
    if (!threads.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.warn("{} still run after {}", what, CLOSE_TIMEOUT);
    }
  }

  private static ThreadFactory threads(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
