package io.sluice.coordinator.raft;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.CoordinatorGroup;
import io.sluice.coordinator.metadata.CoordinatorMembers;
import io.sluice.coordinator.metadata.Event;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.Transitions;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.LeaderElectionManagementRequest;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.TransferLeadershipRequest;
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
public final class RaftMetadataLog implements MetadataLog, CoordinatorMembers, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RaftMetadataLog.class);

  /** The largest command; one log entry must fit into Ratis' buffers. */
  static final int MAX_COMMAND = 3 * 1024 * 1024;

  private static final long ANSWER_WITHIN_SECONDS = 15;
  private static final long STEP_DOWN_MS = 3_000;
  private static final int CALLBACK_THREADS = 2;

  private final RaftSettings settings;
  private final ClientId clientId = ClientId.randomId();
  private final AtomicLong callIds = new AtomicLong();
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final MetadataStateMachine machine;
  private final ExecutorService callbacks;

  /** One thread, so that listeners hear of leaderships in their order. */
  private final ExecutorService leaderships;

  private @Nullable RaftServer server;

  public RaftMetadataLog(RaftSettings settings) {
    this(settings, Transitions::apply);
  }

  /** With other rules than the real ones. */
  RaftMetadataLog(RaftSettings settings, MetadataStateMachine.Rules rules) {
    this.settings = settings;
    this.machine = new MetadataStateMachine(new Relay(), rules);
    this.callbacks = Executors.newFixedThreadPool(CALLBACK_THREADS, daemons("metadata-callback-"));
    this.leaderships = Executors.newSingleThreadExecutor(daemons("metadata-leadership-"));
  }

  private static ThreadFactory daemons(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
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

  /** Whether it has met a command that it cannot apply: it neither leads nor answers any more. */
  public boolean isBroken() {
    return machine.isBroken();
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
    // One that leads may have put it into the log before it loses the leadership.
    boolean led = machine.leads();
    long leadershipsBefore = machine.leaderships();
    return send(RaftClientRequest.writeRequestType(), UnsafeByteOperations.unsafeWrap(bytes))
        .handleAsync(
            (reply, failure) -> {
              boolean taken = led || machine.leaderships() != leadershipsBefore;
              return applied(answered(reply, failure, taken));
            },
            this::callBack);
  }

  @Override
  public CompletableFuture<MetadataImage> readLatest() {
    return send(RaftClientRequest.readRequestType(), ByteString.EMPTY)
        .handleAsync(
            (reply, failure) -> {
              var unused = answered(reply, failure, false);
              return machine.image();
            },
            this::callBack);
  }

  /** Runs what completes an answer; also those that end because this log is closed. */
  private void callBack(Runnable task) {
    try {
      callbacks.execute(task);
    } catch (RejectedExecutionException closed) {
      task.run();
    }
  }

  private @Nullable RaftServer server() {
    synchronized (this) {
      return server;
    }
  }

  private static SluiceException startingOrStopping() {
    return new SluiceException(
        ErrorCode.UNAVAILABLE, "The coordinator is starting or stopping; try again");
  }

  private CompletableFuture<RaftClientReply> send(RaftClientRequest.Type type, ByteString content) {
    RaftServer target = server();
    if (target == null) {
      return CompletableFuture.failedFuture(startingOrStopping());
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
    try {
      return target
          .submitClientRequestAsync(request)
          .orTimeout(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (IOException failure) {
      return CompletableFuture.failedFuture(RaftFailures.toSluice(failure, settings));
    }
  }

  /**
   * @param taken whether the request may have been put into the log
   */
  private RaftClientReply answered(
      @Nullable RaftClientReply reply, @Nullable Throwable failure, boolean taken) {
    if (reply != null && reply.isSuccess()) {
      return reply;
    }
    Throwable cause = failure == null && reply != null ? reply.getException() : failure;
    throw taken ? RaftFailures.ofAccepted(cause, settings) : RaftFailures.toSluice(cause, settings);
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
                leaderships.execute(this::lead);
              } else if (machine.leads()) {
                LOG.error("The new cluster cannot be given its id", failure);
              }
            });
  }

  @Override
  public CoordinatorGroup group() {
    RaftServer running = server();
    return running == null
        ? new CoordinatorGroup(
            settings.id(),
            CoordinatorGroup.Role.JOINING,
            null,
            0,
            machine.image().index(),
            settings.peers())
        : GroupChange.group(running, settings, machine);
  }

  @Override
  public @Nullable SluiceException notLeading() {
    CoordinatorGroup group = group();
    if (group.role() == CoordinatorGroup.Role.LEADER) {
      return null;
    }
    CoordinatorGroup.Member leader = group.member(group.leader());
    boolean self = leader != null && leader.id().equals(group.self());
    return RaftFailures.notLeader(settings.id(), self ? null : leader, null);
  }

  @Override
  public CompletableFuture<CoordinatorGroup> change(
      @Nullable String leaving, CoordinatorGroup.@Nullable Member joining) {
    RaftServer running = server();
    if (running == null) {
      return CompletableFuture.failedFuture(startingOrStopping());
    }
    return new GroupChange(running, settings, clientId, callIds.incrementAndGet())
        .request(group(), leaving, joining)
        .handleAsync(
            (reply, failure) -> {
              if (reply != null) {
                var unused = answered(reply, failure, false);
              } else if (failure != null) {
                throw RaftFailures.toSluice(failure, settings);
              }
              return group();
            },
            this::callBack);
  }

  private void lead() {
    if (!machine.leads()) {
      return;
    }
    LOG.info(
        "Coordinator {} leads cluster {} at index {}",
        settings.id(),
        machine.image().state().clusterId(),
        machine.image().index());
    listeners.forEach(Listener::leading);
  }

  /**
   * Asks for no votes and gives up leading. It goes on storing the log and voting for others, so
   * that a group does not miss it.
   */
  private void stepAside() {
    RaftServer running = server();
    if (running == null) {
      return;
    }
    RaftPeerId self = RaftPeerId.valueOf(settings.id());
    running
        .leaderElectionManagementAsync(
            LeaderElectionManagementRequest.newPause(
                clientId, self, RaftServers.GROUP, callIds.incrementAndGet()))
        .thenCompose(paused -> stepDown(running, self))
        .whenComplete(
            (reply, failure) -> {
              Throwable cause = failure == null && reply != null ? reply.getException() : failure;
              if (cause != null) {
                LOG.warn("Coordinator {} could not give up leading yet", settings.id(), cause);
              }
            });
  }

  private CompletableFuture<@Nullable RaftClientReply> stepDown(
      RaftServer running, RaftPeerId self) {
    try {
      if (!running.getDivision(RaftServers.GROUP).getInfo().isLeader()) {
        return CompletableFuture.completedFuture(null);
      }
      // To nobody in particular: the others elect one.
      return running
          .transferLeadershipAsync(
              new TransferLeadershipRequest(
                  clientId, self, RaftServers.GROUP, callIds.incrementAndGet(), null, STEP_DOWN_MS))
          .<@Nullable RaftClientReply>thenApply(reply -> reply);
    } catch (IOException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /** Passes what the state machine says on to the listeners. */
  private final class Relay implements Listener {
    private volatile boolean alone;

    @Override
    public void applied(MetadataImage image, List<Event> events) {
      for (Listener listener : listeners) {
        listener.applied(image, events);
      }
    }

    @Override
    public void leading() {
      alone = false;
      leaderships.execute(RaftMetadataLog.this::bootstrapThenLead);
    }

    @Override
    public void following() {
      alone = false;
      LOG.info("Coordinator {} does not lead", settings.id());
      leaderships.execute(() -> listeners.forEach(Listener::following));
    }

    @Override
    public void alone() {
      // Told again and again while it lasts.
      if (!alone) {
        alone = true;
        LOG.warn("Coordinator {} has known no leader for a while", settings.id());
      }
      leaderships.execute(() -> listeners.forEach(Listener::alone));
    }

    @Override
    public void broken(SluiceException why) {
      leaderships.execute(
          () -> {
            listeners.forEach(listener -> listener.broken(why));
            listeners.forEach(Listener::following);
            stepAside();
          });
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
    leaderships.shutdown();
  }
}
