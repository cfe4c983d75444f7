package io.sluice.client.internal;

import io.grpc.ManagedChannel;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lookup streams of one pipeline, one to each server, opened when first needed and, after a
 * failure, again after a pause. Guarded by the pipeline's lock.
 */
final class LookupStreams {
  private final Channels channels;
  private final LookupStream.Events events;
  private final Map<String, ServerSlot<LookupStream>> servers = new HashMap<>();

  LookupStreams(Channels channels, LookupStream.Events events) {
    this.channels = channels;
    this.events = events;
  }

  /** The stream to that server, null during the pause after a failure. */
  @Nullable LookupStream streamTo(String address, long now) {
    ServerSlot<LookupStream> server = servers.computeIfAbsent(address, each -> new ServerSlot<>());
    if (server.stream() == null && server.mayOpen(now)) {
      ManagedChannel channel = channels.lookup(address);
      if (server.hasFailed()) {
        // Its own pauses grow to minutes; ours decide.
        channel.resetConnectBackoff();
      }
      LookupStream stream = LookupStream.open(channel, address);
      server.opened(stream);
      stream.start(events);
    }
    return server.stream();
  }

  /** Says that the server has answered. */
  void reached(String address) {
    ServerSlot<LookupStream> server = servers.get(address);
    if (server != null) {
      server.reached();
    }
  }

  /** Says that a stream has ended. */
  void lost(LookupStream stream, SluiceException why, long now) {
    ServerSlot<LookupStream> server = servers.get(stream.address());
    if (server != null) {
      server.lost(stream, why, now);
    }
  }

  /** The open streams. */
  List<LookupStream> open() {
    List<LookupStream> open = new ArrayList<>();
    for (ServerSlot<LookupStream> server : servers.values()) {
      LookupStream stream = server.stream();
      if (stream != null) {
        open.add(stream);
      }
    }
    return open;
  }

  /** Ends streams whose servers have owed an answer for so long. */
  void giveUpSilent(long now, long limitNanos) {
    for (LookupStream stream : open()) {
      if (stream.hasUnansweredSince(now - limitNanos)) {
        stream.cancel(
            new SluiceException(
                ErrorCode.UNAVAILABLE,
                "Server "
                    + stream.address()
                    + " has not answered lookups for "
                    + limitNanos / 1_000_000
                    + " ms"));
      }
    }
  }
}
