package io.sluice.client.internal;

import io.grpc.ManagedChannel;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.v1.Command;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The put streams of one writer, one to each server, opened when first needed and, after a failure,
 * again after a pause. Owned by the delivery loop.
 */
final class PutStreams {
  /** How long a server with unanswered batches may be silent before its stream is given up. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Channels channels;
  private final Command command;
  private final PutStream.Events events;
  private final Map<String, Server> servers = new HashMap<>();

  PutStreams(Channels channels, Command command, PutStream.Events events) {
    this.channels = channels;
    this.command = command;
    this.events = events;
  }

  /** The stream to that server, null during the pause after a failure. */
  @Nullable PutStream streamTo(String address, long now) {
    Server server = servers.computeIfAbsent(address, each -> new Server());
    if (server.stream != null) {
      return server.stream;
    }
    if (server.failures > 0 && now - server.notBeforeNanos < 0) {
      return null;
    }
    ManagedChannel channel = channels.put(address);
    if (server.failures > 0) {
      // Its own pauses grow to minutes; ours decide.
      channel.resetConnectBackoff();
    }
    server.stream = PutStream.open(channel, address, command, events, now);
    return server.stream;
  }

  /** Says that the server has answered. */
  void reached(String address) {
    Server server = servers.get(address);
    if (server != null) {
      server.failures = 0;
      server.lastFailure = null;
    }
  }

  /** Whether the server's last stream ended and none has been answered since. */
  boolean isFailing(String address) {
    Server server = servers.get(address);
    return server != null && server.failures > 0;
  }

  /** Says that a stream has ended. */
  void lost(PutStream stream, SluiceException why, long now) {
    Server server = servers.get(stream.address());
    if (server != null && server.stream == stream) {
      server.stream = null;
      server.failures++;
      server.lastFailure = why;
      server.notBeforeNanos = now + Backoff.pauseNanos(server.failures);
    }
  }

  /** Ends streams whose servers have been silent for too long. */
  void giveUpSilent(long now) {
    for (Server server : List.copyOf(servers.values())) {
      PutStream stream = server.stream;
      if (stream != null
          && stream.hasUnanswered()
          && now - stream.lastProgressNanos() > SILENCE_NANOS) {
        stream.cancel(PutFailures.silent(stream, SILENCE_NANOS));
      }
    }
  }

  /** What is known of a server, for messages. */
  String describe(String address) {
    Server server = servers.get(address);
    SluiceException last = server == null ? null : server.lastFailure;
    return "its leader is " + address + (last == null ? "" : " (" + last.getMessage() + ")");
  }

  /** Tells all servers that no more comes. */
  void finishAll() {
    for (Server server : servers.values()) {
      if (server.stream != null) {
        server.stream.finish();
      }
    }
    servers.clear();
  }

  private static final class Server {
    private @Nullable PutStream stream;
    private int failures;
    private long notBeforeNanos;
    private @Nullable SluiceException lastFailure;
  }
}
