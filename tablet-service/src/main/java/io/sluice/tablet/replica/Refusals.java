package io.sluice.tablet.replica;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.format.batch.LogBatchHeader;
import io.sluice.tablet.log.SequenceDecision;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The failures that a replica answers with, naming its bucket.
 *
 * @param serverId this server
 * @param bucketName how messages name the bucket now
 * @param addresses where clients reach other servers
 */
record Refusals(int serverId, Supplier<String> bucketName, ClientAddresses addresses) {
  private String bucket() {
    return bucketName.get();
  }

  SluiceException removed() {
    return new SluiceException(
        ErrorCode.TABLE_CHANGED, "The replica of " + bucket() + " was removed");
  }

  SluiceException preparing(Leadership now) {
    ReplicaRole role = now.role();
    return new SluiceException(
        ErrorCode.LEADER_NOT_READY,
        "This server begins to lead "
            + bucket()
            + " under epoch "
            + now.epoch()
            + (role == null || role.hasMinInsync()
                ? ""
                : ", which takes until more replicas are in sync: " + shortage(role)));
  }

  /** As {@link #preparing}, of a put. */
  SluiceException notYetWritable(Leadership now) {
    ReplicaRole role = now.role();
    return role == null || role.hasMinInsync()
        ? preparing(now)
        : notEnoughReplicas(role.replicas(), role.isr(), role.minInsync());
  }

  SluiceException noLease() {
    return new SluiceException(
        ErrorCode.LEADER_NOT_READY,
        "This server cannot tell whether it still leads "
            + bucket()
            + ": not every in-sync replica has asked for news lately");
  }

  SluiceException notEnoughReplicas(List<Integer> replicas, List<Integer> isr, int minInsync) {
    return new SluiceException(
        ErrorCode.NOT_ENOUGH_REPLICAS,
        "A write to " + bucket() + " is not taken now: " + shortage(replicas, isr, minInsync));
  }

  private static String shortage(ReplicaRole role) {
    return shortage(role.replicas(), role.isr(), role.minInsync());
  }

  private static String shortage(List<Integer> replicas, List<Integer> isr, int minInsync) {
    List<Integer> away = replicas.stream().filter(server -> !isr.contains(server)).toList();
    return "of its replicas only "
        + isr.size()
        + " of the "
        + minInsync
        + " needed are in sync (servers "
        + isr
        + "); see that servers "
        + away
        + " run and catch up";
  }

  SluiceException notLeader(Leadership now) {
    int leader = now.leaderServerId();
    if (leader == 0 || leader == serverId) {
      return new SluiceException(
          ErrorCode.NOT_LEADER, "No server leads " + bucket() + " at the moment");
    }
    return new SluiceException(
        ErrorCode.NOT_LEADER,
        "Server " + leader + " leads " + bucket() + ", not server " + serverId,
        naming(leader, addresses),
        null);
  }

  /** Of a put that was taken under an epoch that is over. */
  SluiceException epochIsOver(int epoch, Leadership now) {
    if (now.leaderServerId() != serverId) {
      return notLeader(now);
    }
    return new SluiceException(
        ErrorCode.NOT_LEADER,
        "The put for "
            + bucket()
            + " was taken under epoch "
            + epoch
            + ", this server leads under "
            + now.epoch()
            + "; send it again");
  }

  /** The details of a refusal that tell who leads: the id and, if that is known, host:port. */
  static Map<String, String> naming(int leader, ClientAddresses addresses) {
    String id = Integer.toString(leader);
    String address = addresses.clientAddress(leader);
    return address == null
        ? Map.of("leader_server_id", id)
        : Map.of("leader_server_id", id, "leader", address);
  }

  SluiceException offline(String reason) {
    return new SluiceException(
        ErrorCode.REPLICA_OFFLINE, "The replica of " + bucket() + " is offline: " + reason);
  }

  SluiceException noRows(HostedTable table) {
    return new SluiceException(
        ErrorCode.UNSUPPORTED,
        "Table "
            + table.path()
            + " is a log table, without a primary key to look rows up by; scan it instead");
  }

  /** Throws what a put is refused with for its sequences. */
  void check(SequenceDecision decision, AppendRequest request) {
    LogBatchHeader header = request.header();
    if (decision instanceof SequenceDecision.Fenced fenced) {
      throw fenced(header.writerId(), header.writerEpoch(), fenced.newest());
    }
    if (decision instanceof SequenceDecision.Gap gap) {
      throw outOfOrder(header, request.ackedThrough(), gap.last());
    }
    if (decision instanceof SequenceDecision.Overlap overlap
        && header.recordCount() != header.sequenceCount()) {
      throw uncountable(header, overlap.rows());
    }
  }

  SluiceException fenced(long writerId, int epoch, int newest) {
    return new SluiceException(
        ErrorCode.FENCED_WRITER,
        "Writer "
            + writerId
            + " writes to "
            + bucket()
            + " under epoch "
            + epoch
            + ", but a newer instance has started with epoch "
            + newest);
  }

  SluiceException notCommitted(long writerId, long waitedS, Throwable cause) {
    return new SluiceException(
        ErrorCode.TIMEOUT,
        "The last sequence of writer "
            + writerId
            + " in "
            + bucket()
            + " is not known: what is stored there was not committed within "
            + waitedS
            + " s; see that its in-sync replicas answer, and ask again",
        cause);
  }

  private SluiceException outOfOrder(LogBatchHeader header, long ackedThrough, long last) {
    return new SluiceException(
        ErrorCode.OUT_OF_ORDER_SEQUENCE,
        "Put of writer "
            + header.writerId()
            + " for "
            + bucket()
            + " begins at sequence "
            + header.baseSequence()
            + "; the last one stored is "
            + last
            + " and answers are held through "
            + ackedThrough);
  }

  private SluiceException uncountable(LogBatchHeader header, int rows) {
    return new SluiceException(
        ErrorCode.OUT_OF_ORDER_SEQUENCE,
        "The first "
            + rows
            + " sequences of the put for "
            + bucket()
            + " are stored already, but its "
            + header.recordCount()
            + " records do not match its "
            + header.sequenceCount()
            + " sequences one by one; send the rest only");
  }

  SluiceException outOfRange(long offset, long start, long visible) {
    return new SluiceException(
        ErrorCode.OFFSET_OUT_OF_RANGE,
        "Offset "
            + offset
            + " of "
            + bucket()
            + " cannot be read; its offsets are "
            + start
            + " to "
            + visible);
  }
}
