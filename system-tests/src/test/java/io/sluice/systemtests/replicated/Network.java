package io.sluice.systemtests.replicated;

import io.sluice.systemtests.process.ProcessCluster;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The links of a cluster: from every tablet to every other and from every tablet to every
 * coordinator. Clients reach all servers directly, so that a server which is cut off from its peers
 * still hears them: the hard case. Servers are numbered from 1.
 */
final class Network implements AutoCloseable {
  private final int coordinators;
  private final int tablets;
  private final Map<String, Link> links = new LinkedHashMap<>();

  Network(int coordinators, int tablets) {
    this.coordinators = coordinators;
    this.tablets = tablets;
    for (int from = 1; from <= tablets; from++) {
      for (int to = 1; to <= tablets; to++) {
        if (from != to) {
          open(peerName(from, to));
        }
      }
      for (int coordinator = 1; coordinator <= coordinators; coordinator++) {
        open(coordinatorName(from, coordinator));
      }
    }
  }

  private void open(String name) {
    links.put(name, Link.open(name));
  }

  /**
   * Leads the links to this cluster's ports; returns the settings that make its servers use them.
   */
  List<String> settings(ProcessCluster cluster) {
    List<String> settings = new ArrayList<>();
    for (int from = 1; from <= tablets; from++) {
      List<String> peers = new ArrayList<>();
      for (int to = 1; to <= tablets; to++) {
        if (from != to) {
          Link link = peer(from, to);
          link.leadTo(cluster.flightPort(to));
          peers.add(to + "=" + link.address());
        }
      }
      settings.add(
          "tablet-" + from + ".sluice.replication.peer-addresses=" + String.join(",", peers));
      settings.add("tablet-" + from + ".sluice.tablet.coordinators=" + coordinators(from, cluster));
    }
    return settings;
  }

  private String coordinators(int from, ProcessCluster cluster) {
    List<String> addresses = new ArrayList<>();
    for (int coordinator = 1; coordinator <= coordinators; coordinator++) {
      Link link = links.get(coordinatorName(from, coordinator));
      String address = cluster.grpcAddress("coordinator-" + coordinator);
      link.leadTo(Integer.parseInt(address.substring(address.indexOf(':') + 1)));
      // With their ids: a coordinator that names the leader is not to lead a tablet past its link.
      addresses.add(coordinator + "=" + link.address());
    }
    return String.join(",", addresses);
  }

  /** The link on which one tablet fetches from another. */
  Link peer(int from, int to) {
    return links.get(peerName(from, to));
  }

  /** The links between a tablet and another, both ways. */
  List<Link> between(int one, int other) {
    return List.of(peer(one, other), peer(other, one));
  }

  /** The links between a tablet and all other tablets. */
  List<Link> aroundPeers(int tablet) {
    List<Link> around = new ArrayList<>();
    for (int other = 1; other <= tablets; other++) {
      if (other != tablet) {
        around.addAll(between(tablet, other));
      }
    }
    return around;
  }

  /** The links on which the other tablets fetch from this one. */
  List<Link> fetchesFrom(int tablet) {
    List<Link> fetching = new ArrayList<>();
    for (int other = 1; other <= tablets; other++) {
      if (other != tablet) {
        fetching.add(peer(other, tablet));
      }
    }
    return fetching;
  }

  /** The links from a tablet to the coordinators. */
  List<Link> toCoordinators(int tablet) {
    List<Link> up = new ArrayList<>();
    for (int coordinator = 1; coordinator <= coordinators; coordinator++) {
      up.add(links.get(coordinatorName(tablet, coordinator)));
    }
    return up;
  }

  /** Everything works as it should. */
  void heal() {
    all().forEach(Link::heal);
  }

  private Collection<Link> all() {
    return links.values();
  }

  private static String peerName(int from, int to) {
    return "tablet-" + from + "->tablet-" + to;
  }

  private static String coordinatorName(int from, int coordinator) {
    return "tablet-" + from + "->coordinator-" + coordinator;
  }

  @Override
  public void close() {
    all().forEach(Link::close);
  }
}
