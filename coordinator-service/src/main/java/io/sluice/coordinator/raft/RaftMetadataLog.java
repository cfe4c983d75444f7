package io.sluice.coordinator.raft;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata log as a Ratis group. Commands and linearizable reads are submitted to this process'
 * own server; where another coordinator leads they fail with NOT_COORDINATOR_LEADER and the detail
 * {@code leader}.
 *
 * <p>Life: made, {@link #start()}, used, {@link #close()}. Listeners are added before the start.
 */
public final class RaftMetadataLog implements MetadataLog, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RaftMetadataLog.class);

  /** The largest command; one log entry must fit into Ratis' buffers. */
  static final int MAX_COMMAND = 3 * 1024 * 1024;

  private static final long ANSWER_WITHIN_SECONDS = 15;
  private static final int CALLBACK_THREADS = 2;

  private final RaftSettings settings;
  private final ClientId clientId = ClientId.randomId();
  private final AtomicLong callIds = new AtomicLong();
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final MetadataStateMachine machine = new MetadataStateMachine(new Relay());
  private final ExecutorService callbacks;
  private @Nullable RaftServer server;

  public RaftMetadataLog(RaftSettings settings) {
    this.settings = settings;
    AtomicInteger number = new AtomicInteger();
    this.callbacks =
        Executors.newFixedThreadPool(
            CALLBACK_THREADS,
            task -> {
              Thread thread = new Thread(task, "metadata-callback-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Adds a listener; only before {@link #start()}. */
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  /** Opens log and newest snapshot and joins the group; STORAGE_ERROR or CORRUPT_STORAGE. */
  public synchronized void start() {
    if (server != null) {
      return;
    }
    RaftServer opened = null;
    try {
      Files.createDirectories(settings.directory());
      TornTail.cut(settings.directory().resolve(RaftServers.GROUP.getUuid().toString()));
      opened = RaftServers.build(settings, machine);
      opened.start();
      server = opened;
    } catch (IOException | RuntimeException failure) {
      SluiceException reported = RaftFailures.ofStart(failure, settings);
      if (opened != null) {
        closeAfter(opened, reported);
      }
      throw reported;
    }
  }

  private static void closeAfter(RaftServer opened, SluiceException failure) {
    try {
      opened.close();
    } catch (IOException | RuntimeException alsoFailed) {
      failure.addSuppressed(alsoFailed);
    }
  }

  /** Whether this coordinator leads and answers. */
  public boolean leads() {
    return machine.leads() && !machine.image().state().clusterId().isEmpty();
  }

  /** Commands applied since the start, replayed ones included. */
  public long appliedCommands() {
    return machine.applied();
  }

  /** Time spent applying them. */
  public long applyNanos() {
    return machine.applyNanos();
  }

  @Override
  public MetadataImage current() {
    return machine.image();
  }

  @Override
  public CompletableFuture<Applied> submit(Command command) {
    byte[] bytes = CommandCodec.encode(command);
    if (bytes.length > MAX_COMMAND) {
      return CompletableFuture.failedFuture(
          new SluiceException(
              ErrorCode.INVALID_ARGUMENT,
              "The definition takes "
                  + bytes.length
                  + " bytes; the limit is "
                  + MAX_COMMAND
                  + " (shorten names, comments or options)"));
    }
    return send(RaftClientRequest.writeRequestType(), UnsafeByteOperations.unsafeWrap(bytes))
        .thenApply(RaftMetadataLog::applied);
  }

  @Override
  public CompletableFuture<MetadataImage> readLatest() {
    return send(RaftClientRequest.readRequestType(), ByteString.EMPTY)
        .thenApply(reply -> machine.image());
  }

  private CompletableFuture<RaftClientReply> send(RaftClientRequest.Type type, ByteString content) {
    RaftServer target;
    synchronized (this) {
      target = server;
    }
    if (target == null) {
      return CompletableFuture.failedFuture(
          new SluiceException(
              ErrorCode.UNAVAILABLE, "The coordinator is starting or stopping; try again"));
    }
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(clientId)
            .setServerId(RaftPeerId.valueOf(settings.id()))
            .setGroupId(RaftServers.GROUP)
            .setCallId(callIds.incrementAndGet())
            .setMessage(Message.valueOf(content))
            .setType(type)
            .build();
    CompletableFuture<RaftClientReply> reply;
    try {
      reply = target.submitClientRequestAsync(request);
    } catch (IOException failure) {
      return CompletableFuture.failedFuture(RaftFailures.toSluice(failure, settings));
    }
    return reply
        .orTimeout(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS)
        .handleAsync(this::answered, callbacks);
  }

  private RaftClientReply answered(@Nullable RaftClientReply reply, @Nullable Throwable failure) {
    if (reply != null && reply.isSuccess()) {
      return reply;
    }
    Throwable cause = failure == null && reply != null ? reply.getException() : failure;
    throw RaftFailures.toSluice(cause, settings);
  }

  private static Applied applied(RaftClientReply reply) {
    try {
      return CommandCodec.decodeOutcome(reply.getMessage().getContent().toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new SluiceException(
          ErrorCode.INTERNAL, "The answer of the metadata state machine cannot be read", e);
    }
  }

  /** Gives a new cluster its id before anybody is told that this coordinator leads. */
  private void bootstrapThenLead() {
    if (!machine.image().state().clusterId().isEmpty()) {
      lead();
      return;
    }
    String clusterId = UUID.randomUUID().toString();
    submit(new Command.Bootstrap(clusterId))
        .whenComplete(
            (applied, failure) -> {
              if (failure == null) {
                LOG.info("New cluster {}", machine.image().state().clusterId());
                lead();
              } else if (machine.leads()) {
                LOG.error("The new cluster cannot be given its id", failure);
              }
            });
  }

  private void lead() {
    LOG.info(
        "Coordinator {} leads cluster {} at index {}",
        settings.id(),
        machine.image().state().clusterId(),
        machine.image().index());
    listeners.forEach(Listener::leading);
  }

  /** Passes what the state machine says on to the listeners. */
  private final class Relay implements Listener {
    @Override
    public void applied(MetadataImage image, List<Event> events) {
      for (Listener listener : listeners) {
        listener.applied(image, events);
      }
    }

    @Override
    public void leading() {
      callbacks.execute(RaftMetadataLog.this::bootstrapThenLead);
    }

    @Override
    public void following() {
      LOG.info("Coordinator {} does not lead", settings.id());
      callbacks.execute(() -> listeners.forEach(Listener::following));
    }

    @Override
    public void replaced(MetadataImage image) {
      listeners.forEach(listener -> listener.replaced(image));
    }
  }

  @Override
  public void close() throws IOException {
    RaftServer closing;
    synchronized (this) {
      closing = server;
      server = null;
    }
    if (closing != null) {
      closing.close();
    }
    callbacks.shutdown();
  }
}
