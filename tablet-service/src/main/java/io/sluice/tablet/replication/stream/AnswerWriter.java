package io.sluice.tablet.replication.stream;

import com.google.protobuf.ByteString;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.OutboundFrame;
import io.sluice.protocol.replication.AnswerBuilder;
import io.sluice.protocol.replication.v1.BucketAnswer;
import io.sluice.protocol.replication.v1.EpochEnd;
import io.sluice.protocol.replication.v1.Refusal;
import io.sluice.protocol.replication.v1.StartAnew;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.ReplicationSource;
import io.sluice.tablet.replication.stream.FetchSession.Turn;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the answers of one session, one at a time, on a thread that may read files. */
final class AnswerWriter implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(AnswerWriter.class);
  private static final String LEADER_DETAIL = "leader_server_id";

  private final FetchSession session;
  private final FetchContext context;

  AnswerWriter(FetchSession session, FetchContext context) {
    this.session = session;
    this.context = context;
  }

  @Override
  public void run() {
    try (AnswerBuilder answer = new AnswerBuilder(context.buffers(), session.nextAnswerId())) {
      int most = session.maxBytes();
      while (answer.bytes() < most) {
        Turn turn = session.nextTurn();
        if (turn == null) {
          break;
        }
        serve(turn, answer, most - answer.bytes());
      }
      try (OutboundFrame frame = answer.build()) {
        session.send(frame);
      }
    } catch (RuntimeException | Error defect) {
      LOG.error("An answer to server {} cannot be made", session.followerId(), defect);
      // Even when memory is short: a session that stays would wait for this answer for ever.
      session.end(
          new SluiceException(ErrorCode.INTERNAL, "An answer cannot be made: " + defect, defect));
      if (defect instanceof Error error) {
        throw error;
      }
    }
  }

  private void serve(Turn turn, AnswerBuilder answer, int room) {
    try {
      if (turn.verdict() instanceof Verdict.Refused refused) {
        throw refused.why();
      }
      ReplicationSource source = turn.bucket().source();
      if (source == null) {
        throw notLeader(turn);
      }
      if (turn.verdict() != null) {
        judge(turn, source, turn.verdict(), answer);
      } else {
        tell(turn, source, answer, room);
      }
    } catch (SluiceException refused) {
      if (session.refuse(turn)) {
        answer.add(refusal(turn, refused));
      }
    }
  }

  private void judge(Turn turn, ReplicationSource source, Verdict verdict, AnswerBuilder answer) {
    ReplicationSource.Beginning beginning =
        verdict instanceof Verdict.Behind ? source.beginning() : null;
    ReplicationSource.State state = leading(turn, source);
    if (!session.tell(turn, state, true)) {
      return;
    }
    BucketAnswer.Builder bucket = fields(turn, state);
    if (verdict instanceof Verdict.Diverges diverges) {
      EpochHistory.End end = diverges.end();
      bucket.setDiverges(EpochEnd.newBuilder().setEpoch(end.epoch()).setEndOffset(end.endOffset()));
    } else if (beginning != null) {
      bucket.setLogStart(beginning.offset()).setStartAnew(startAnew(beginning));
    }
    answer.add(bucket.build());
  }

  private static StartAnew startAnew(ReplicationSource.Beginning beginning) {
    StartAnew.Builder anew =
        StartAnew.newBuilder()
            .setWriters(ByteString.copyFrom(beginning.writers().duplicate()))
            .setLastTimeMs(beginning.lastTimeMs());
    List<EpochHistory.Start> epochs = beginning.epochs();
    for (EpochHistory.Start start : epochs) {
      anew.addEpochs(
          EpochEnd.newBuilder().setEpoch(start.epoch()).setEndOffset(start.startOffset()));
    }
    return anew.build();
  }

  private void tell(Turn turn, ReplicationSource source, AnswerBuilder answer, int room) {
    int length = 0;
    if (leading(turn, source).logEnd() > turn.offset()) {
      length = read(turn, source, answer, Math.min(room, context.limits().bucketBytes()));
    }
    // After the read: a server that leads no more may have cut its log, and read what it has since.
    ReplicationSource.State state = leading(turn, source);
    if (!session.tell(turn, state, length > 0)) {
      answer.dropGiven();
    } else if (length > 0) {
      answer.addWithBatches(fields(turn, state).build(), length);
    } else {
      answer.add(fields(turn, state).build());
    }
  }

  /** Reads batches into the answer's memory; their length. */
  private static int read(Turn turn, ReplicationSource source, AnswerBuilder answer, int most) {
    ByteBuffer[] given = new ByteBuffer[1];
    ByteBuffer read =
        source.read(
            turn.offset(),
            most,
            size -> {
              ByteBuffer memory = answer.memory(size);
              given[0] = memory;
              return memory;
            });
    int length = read.remaining();
    if (length > 0 && read != given[0]) {
      answer.memory(length).put(read.duplicate());
    }
    return length;
  }

  /** The state of a replica that leads in the epoch in which it is followed; throws otherwise. */
  private static ReplicationSource.State leading(Turn turn, ReplicationSource source) {
    ReplicationSource.State state = source.state();
    if (state == null) {
      throw notLeader(turn);
    }
    if (state.leaderEpoch() != turn.leaderEpoch()) {
      throw new SluiceException(
          ErrorCode.FENCED_LEADER_EPOCH,
          "Bucket "
              + turn.bucket().bucket()
              + " is followed in epoch "
              + turn.leaderEpoch()
              + ", but is led in "
              + state.leaderEpoch());
    }
    return state;
  }

  private static SluiceException notLeader(Turn turn) {
    return new SluiceException(
        ErrorCode.NOT_LEADER,
        "This server does not lead " + turn.bucket().bucket() + " in epoch " + turn.leaderEpoch());
  }

  private static BucketAnswer.Builder fields(Turn turn, ReplicationSource.State state) {
    return BucketAnswer.newBuilder()
        .setBucket(turn.bucket().id())
        .setLeaderEpoch(state.leaderEpoch())
        .setCommitted(state.committed())
        .setLogStart(state.logStart())
        .setLogEnd(state.logEnd());
  }

  private static BucketAnswer refusal(Turn turn, SluiceException why) {
    return BucketAnswer.newBuilder()
        .setBucket(turn.bucket().id())
        .setLeaderEpoch(turn.leaderEpoch())
        .setRefused(
            Refusal.newBuilder()
                .setCode(why.code().name())
                .setMessage(String.valueOf(why.getMessage()))
                .setLeaderServerId(leader(why.details().get(LEADER_DETAIL))))
        .build();
  }

  private static int leader(@Nullable String detail) {
    if (detail == null) {
      return 0;
    }
    try {
      return Integer.parseInt(detail);
    } catch (NumberFormatException e) {
      // It only helps; without it the follower hears from the coordinator.
      return 0;
    }
  }
}
