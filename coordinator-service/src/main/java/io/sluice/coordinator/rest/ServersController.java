package io.sluice.coordinator.rest;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.membership.TabletSessions;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.MetadataLog;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.metadata.ServerLoads;
import io.sluice.coordinator.metadata.TabletServer;
import io.sluice.coordinator.rest.Views.OfflineReplicaView;
import io.sluice.coordinator.rest.Views.ServerView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/servers} and what tablet servers report. */
@RestController
@RequestMapping("/api/v1")
public final class ServersController {
  private final Catalog catalog;
  private final TabletSessions sessions;
  private final MetadataLog log;

  public ServersController(Catalog catalog, TabletSessions sessions, MetadataLog log) {
    this.catalog = catalog;
    this.sessions = sessions;
    this.log = log;
  }

  @GetMapping("/servers")
  ResponseEntity<Page<ServerView>> list(
      @RequestParam(required = false) @Nullable Boolean alive,
      @RequestParam(defaultValue = "0") int offset,
      @RequestParam(defaultValue = Page.DEFAULT_LIMIT) int limit) {
    MetadataImage image = Answers.await(catalog.image());
    ServerLoads loads = ServerLoads.of(image.state());
    List<ServerView> found = new ArrayList<>();
    for (PersistentMap.Entry<Integer, TabletServer> entry : image.state().servers()) {
      if (alive == null || alive == entry.value().alive()) {
        found.add(ServerView.of(entry.value(), loads));
      }
    }
    return Answers.tagged(image, Page.of(found, offset, limit));
  }

  @GetMapping("/servers/{serverId}")
  ResponseEntity<ServerView> find(@PathVariable int serverId) {
    MetadataImage image = Answers.await(catalog.image());
    TabletServer server = image.state().servers().get(serverId);
    if (server == null) {
      throw new SluiceException(ErrorCode.NOT_FOUND, image.state().noSuchServer(serverId));
    }
    return Answers.tagged(image, ServerView.of(server, ServerLoads.of(image.state())));
  }

  @GetMapping("/replicas/offline")
  Page<OfflineReplicaView> offlineReplicas(
      @RequestParam(defaultValue = "0") int offset,
      @RequestParam(defaultValue = Page.DEFAULT_LIMIT) int limit) {
    SluiceException elsewhere = log.notLeading();
    if (elsewhere != null) {
      // Only the leader hears of them: none here does not mean that there is none.
      throw elsewhere;
    }
    List<OfflineReplicaView> found = new ArrayList<>();
    sessions
        .offlineReplicas()
        .forEach(
            (bucket, reason) ->
                found.add(
                    new OfflineReplicaView(
                        bucket.tableId(), bucket.partitionId(), bucket.bucket(), reason)));
    return Page.of(found, offset, limit);
  }
}
