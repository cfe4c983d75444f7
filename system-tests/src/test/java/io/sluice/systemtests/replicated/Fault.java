package io.sluice.systemtests.replicated;

import io.sluice.common.TableBucket;
import io.sluice.systemtests.faults.StoredSegment;
import io.sluice.systemtests.replicated.Scene.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What goes wrong. A fault returns when it is over: everything runs, all links work. */
enum Fault {
  /** The leader of a bucket dies; another tablet takes over. */
  KILL_LEADER {
    @Override
    void make(Scene scene) {
      Target target = scene.anyBucket();
      int leader = scene.leader(target);
      scene.kill(ReplicatedCluster.tablet(leader));
      scene.cluster().awaitOtherLeader(target.path(), target.bucket(), leader);
      scene.note(target + " has another leader");
      scene.hold(0, 4);
      scene.restart(ReplicatedCluster.tablet(leader));
    }
  },
  /** A follower dies and comes back, before it is missed or long after. */
  KILL_FOLLOWER {
    @Override
    void make(Scene scene) {
      String follower = ReplicatedCluster.tablet(scene.follower(scene.anyBucket()));
      scene.kill(follower);
      scene.hold(0, 12);
      scene.restart(follower);
    }
  },
  /** The new leader dies soon after the old one. */
  KILL_TWO_LEADERS {
    @Override
    void make(Scene scene) {
      Target target = scene.anyBucket();
      int first = scene.leader(target);
      scene.kill(ReplicatedCluster.tablet(first));
      int second = scene.cluster().awaitOtherLeader(target.path(), target.bucket(), first);
      scene.hold(0, 3);
      scene.kill(ReplicatedCluster.tablet(second));
      scene.hold(0, 8);
      boolean inOrder = scene.random().nextBoolean();
      scene.restart(ReplicatedCluster.tablet(inOrder ? first : second));
      scene.restart(ReplicatedCluster.tablet(inOrder ? second : first));
    }
  },
  /** Every tablet dies at the same time; the leader comes back last, or they all do together. */
  KILL_ALL_TABLETS {
    @Override
    void make(Scene scene) {
      int leader = scene.leader(scene.anyBucket());
      for (int tablet = 1; tablet <= ReplicatedCluster.TABLETS; tablet++) {
        scene.kill(ReplicatedCluster.tablet(tablet));
      }
      if (scene.random().nextBoolean()) {
        for (int follower : Scene.others(leader)) {
          scene.restart(ReplicatedCluster.tablet(follower));
        }
        scene.hold(0, 2);
      }
      scene.cluster().startMissing();
      scene.note("all tablets run again");
    }
  },
  /** Every server dies at the same time. */
  KILL_ALL {
    @Override
    void make(Scene scene) {
      scene.processes().services().forEach(scene::kill);
      scene.cluster().startMissing();
      scene.note("all servers run again");
    }
  },
  /** The leader freezes until another one leads, and wakes up believing that it leads. */
  PAUSE_LEADER {
    @Override
    void make(Scene scene) {
      String leader = ReplicatedCluster.tablet(scene.leader(scene.anyBucket()));
      scene.pause(leader);
      try {
        scene.hold(8, 15);
      } finally {
        scene.resume(leader);
      }
    }
  },
  /** While the leader is frozen the coordinator that leads dies. */
  PAUSE_LEADER_KILL_COORDINATOR {
    @Override
    void make(Scene scene) {
      Target target = scene.anyBucket();
      int leader = scene.leader(target);
      scene.pause(ReplicatedCluster.tablet(leader));
      try {
        scene.hold(0, 1);
        String coordinator = ReplicatedCluster.coordinator(scene.cluster().coordinatorLeader());
        scene.kill(coordinator);
        scene.cluster().awaitOtherLeader(target.path(), target.bucket(), leader);
        scene.note(target + " has another leader");
        scene.restart(coordinator);
      } finally {
        scene.resume(ReplicatedCluster.tablet(leader));
      }
    }
  },
  /** A follower freezes, for less than it takes to be missed, or for more. */
  PAUSE_FOLLOWER {
    @Override
    void make(Scene scene) {
      String follower = ReplicatedCluster.tablet(scene.follower(scene.anyBucket()));
      scene.pause(follower);
      try {
        scene.hold(2, 13);
      } finally {
        scene.resume(follower);
      }
    }
  },
  /** The leader hears no other tablet, but the coordinators and clients do hear it. */
  CUT_LEADER_FROM_FOLLOWERS {
    @Override
    void make(Scene scene) {
      scene.cut(scene.network().aroundPeers(scene.leader(scene.anyBucket())));
      scene.hold(3, 14);
      scene.heal();
    }
  },
  /** Followers' fetches reach the leader, its answers do not reach them. */
  LOSE_FETCH_ANSWERS {
    @Override
    void make(Scene scene) {
      List<Link> links = scene.network().fetchesFrom(scene.leader(scene.anyBucket()));
      scene.note("lose answers on " + links);
      links.forEach(Link::cutAnswers);
      scene.hold(2, 12);
      scene.heal();
    }
  },
  /** The leader does not reach the coordinators, but clients and followers reach it. */
  CUT_LEADER_FROM_COORDINATORS {
    @Override
    void make(Scene scene) {
      scene.cut(scene.network().toCoordinators(scene.leader(scene.anyBucket())));
      scene.hold(7, 13);
      scene.heal();
    }
  },
  /** Only clients reach the leader. */
  ISOLATE_LEADER {
    @Override
    void make(Scene scene) {
      int leader = scene.leader(scene.anyBucket());
      List<Link> links = new ArrayList<>(scene.network().aroundPeers(leader));
      links.addAll(scene.network().toCoordinators(leader));
      scene.cut(links);
      scene.hold(7, 13);
      scene.heal();
    }
  },
  /** The new leader of a bucket finds that the old one has records that nobody else has. */
  KILL_LEADER_AHEAD {
    @Override
    void make(Scene scene) {
      Target target = scene.anyBucket();
      int leader = scene.leader(target);
      List<Link> links = scene.network().fetchesFrom(leader);
      scene.cut(links);
      scene.hold(0.5, 2);
      scene.killCutOff(leader, links);
      scene.cluster().awaitOtherLeader(target.path(), target.bucket(), leader);
      scene.note(target + " has another leader");
      scene.hold(0, 3);
      scene.restart(ReplicatedCluster.tablet(leader));
    }
  },
  /** A follower's network is slow. */
  SLOW_FOLLOWER {
    @Override
    void make(Scene scene) {
      List<Link> links = scene.network().aroundPeers(scene.follower(scene.anyBucket()));
      scene.note("slow " + links);
      links.forEach(link -> link.slow(20_000));
      scene.hold(5, 14);
      scene.heal();
    }
  },
  /** Connections break, again and again. */
  RESET_CONNECTIONS {
    @Override
    void make(Scene scene) {
      for (int times = scene.random().nextInt(1, 6); times > 0; times--) {
        int tablet = scene.leader(scene.anyBucket());
        List<Link> links = new ArrayList<>(scene.network().aroundPeers(tablet));
        links.addAll(scene.network().toCoordinators(tablet));
        scene.note("reset " + links);
        links.forEach(Link::reset);
        scene.hold(0.1, 2);
      }
    }
  },
  /** The leader stops in order and hands over what it leads. */
  STOP_LEADER {
    @Override
    void make(Scene scene) {
      String leader = ReplicatedCluster.tablet(scene.leader(scene.anyBucket()));
      scene.note("SIGTERM " + leader);
      scene.processes().terminate(leader);
      scene.hold(0, 3);
      scene.restart(leader);
    }
  },
  /** The end of a follower's log is damaged when it starts again. */
  DAMAGE_TAIL {
    @Override
    void make(Scene scene) {
      Target target = scene.anyBucket();
      int follower = scene.follower(target);
      scene.kill(ReplicatedCluster.tablet(follower));
      TableBucket bucket =
          scene
              .cluster()
              .bucket(target.path(), target.bucket())
              .tableBucket(
                  scene.cluster().connection().table(target.path()).description().tableId());
      scene.note(damage(scene, follower, bucket));
      scene.restart(ReplicatedCluster.tablet(follower));
      // It is one copy less as long as it has not refetched what was damaged.
      scene.awaitCaughtUp(target.path());
    }
  },
  /** The disk of a tablet is full for a while. */
  FILL_DISK {
    @Override
    void make(Scene scene) {
      SmallDisk disk = scene.cluster().smallDisk();
      if (disk == null) {
        scene.note("no tablet has a disk that can be filled");
        return;
      }
      disk.fill();
      scene.note("the disk of the last tablet is full");
      try {
        scene.hold(4, 14);
      } finally {
        disk.free();
      }
      scene.note("it has space again");
    }
  },
  /** The coordinator that leads dies. */
  KILL_COORDINATOR_LEADER {
    @Override
    void make(Scene scene) {
      String leader = ReplicatedCluster.coordinator(scene.cluster().coordinatorLeader());
      scene.kill(leader);
      scene.hold(0, 8);
      scene.restart(leader);
    }
  },
  /** The coordinator that leads freezes and wakes up believing that it leads. */
  PAUSE_COORDINATOR_LEADER {
    @Override
    void make(Scene scene) {
      String leader = ReplicatedCluster.coordinator(scene.cluster().coordinatorLeader());
      scene.pause(leader);
      try {
        scene.hold(5, 14);
      } finally {
        scene.resume(leader);
      }
    }
  },
  /** Two coordinators of three die: nothing can be decided for a while. */
  KILL_COORDINATOR_MAJORITY {
    @Override
    void make(Scene scene) {
      int survivor = scene.random().nextInt(1, scene.cluster().coordinators() + 1);
      for (int number = 1; number <= scene.cluster().coordinators(); number++) {
        if (number != survivor) {
          scene.kill(ReplicatedCluster.coordinator(number));
        }
      }
      scene.hold(1, 8);
      scene.cluster().startMissing();
      scene.note("all coordinators run again");
    }
  },
  /** The coordinator that leads and the tablet that leads die at the same time. */
  KILL_BOTH_LEADERS {
    @Override
    void make(Scene scene) {
      String coordinator = ReplicatedCluster.coordinator(scene.cluster().coordinatorLeader());
      String tablet = ReplicatedCluster.tablet(scene.leader(scene.anyBucket()));
      scene.kill(coordinator);
      scene.kill(tablet);
      scene.hold(0, 10);
      scene.cluster().startMissing();
      scene.note(coordinator + " and " + tablet + " run again");
    }
  };

  abstract void make(Scene scene);

  /** For people. */
  String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String damage(Scene scene, int server, TableBucket bucket) {
    try {
      List<StoredSegment> segments = StoredSegment.of(scene.processes().tabletData(server), bucket);
      StoredSegment last = segments.get(segments.size() - 1);
      List<StoredSegment.Batch> batches = last.batches(last.size());
      switch (scene.random().nextInt(batches.isEmpty() ? 2 : 4)) {
        case 0 -> {
          last.append(new byte[64]);
          return "64 zero bytes behind " + last.file();
        }
        case 1 -> {
          Files.deleteIfExists(last.index());
          return "no index of " + last.file();
        }
        case 2 -> {
          last.truncate(last.size() - 17);
          return "17 bytes cut off " + last.file();
        }
        default -> {
          StoredSegment.Batch batch = batches.get(batches.size() - 1);
          last.flip((batch.position() + batch.end()) / 2);
          return "a bit changed in the last batch of " + last.file();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot damage the log of " + bucket, e);
    }
  }
}
