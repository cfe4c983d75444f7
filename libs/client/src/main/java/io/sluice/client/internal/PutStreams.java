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
  private final Map<String, ServerSlot<PutStream>> servers = new HashMap<>();

  PutStreams(Channels channels, Command command, PutStream.Events events) {
    this.channels = channels;
    this.command = command;
    this.events = events;
  }

  /** The stream to that server, null during the pause after a failure. */
  @Nullable PutStream streamTo(String address, long now) {
    ServerSlot<PutStream> server = servers.computeIfAbsent(address, each -> new ServerSlot<>());
    PutStream open = server.stream();
    if (open != null || !server.mayOpen(now)) {
      return open;
    }
    ManagedChannel channel = channels.put(address);
    if (server.hasFailed()) {
      // Its own pauses grow to minutes; ours decide.
      channel.resetConnectBackoff();
    }
    PutStream stream = PutStream.open(channel, address, command, events, now);
    server.opened(stream);
    return stream;
  }

  /** Says that the server has answered. */
  void reached(String address) {
    ServerSlot<PutStream> server = servers.get(address);
    if (server != null) {
      server.reached();
    }
  }

  /** Whether the server's last stream ended and none has been answered since. */
  boolean isFailing(String address) {
    ServerSlot<PutStream> server = servers.get(address);
    return server != null && server.hasFailed();
  }

  /** Says that a stream has ended. */
  void lost(PutStream stream, SluiceException why, long now) {
    ServerSlot<PutStream> server = servers.get(stream.address());
    if (server != null) {
      server.lost(stream, why, now);
    }
  }

  /** Ends streams whose servers have been silent for too long. */
  void giveUpSilent(long now) {
    for (ServerSlot<PutStream> server : List.copyOf(servers.values())) {
      PutStream stream = server.stream();
      if (stream != null
          && stream.hasUnanswered()
          && now - stream.lastProgressNanos() > SILENCE_NANOS) {
        stream.cancel(PutFailures.silent(stream, SILENCE_NANOS));
      }
    }
  }

  /** What is known of a server, for messages. */
  String describe(String address) {
    ServerSlot<PutStream> server = servers.get(address);
    SluiceException last = server == null ? null : server.lastFailure();
    return "its leader is " + address + (last == null ? "" : " (" + last.getMessage() + ")");
  }

  /** Tells all servers that no more comes. */
  void finishAll() {
    for (ServerSlot<PutStream> server : servers.values()) {
      PutStream stream = server.stream();
      if (stream != null) {
        stream.finish();
      }
    }
    servers.clear();
  }
}
