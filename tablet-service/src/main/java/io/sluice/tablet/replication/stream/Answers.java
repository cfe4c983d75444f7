package io.sluice.tablet.replication.stream;

import io.sluice.protocol.replication.ReceivedBucket;
import io.sluice.protocol.replication.v1.BucketAnswer;
import io.sluice.protocol.replication.v1.EpochEnd;
import io.sluice.protocol.replication.v1.StartAnew;
import io.sluice.tablet.log.EpochHistory;
import io.sluice.tablet.replication.ReplicationSink;
import io.sluice.tablet.replication.ReplicationSource;
import java.util.ArrayList;
import java.util.List;

/** Answers of leaders in the types that replicas know. */
final class Answers {
  private Answers() {}

  /** What a replica takes in; its batches are valid as long as the received bucket is open. */
  static ReplicationSink.Received read(ReceivedBucket received) {
    BucketAnswer fields = received.fields();
    EpochHistory.End end = null;
    if (fields.hasDiverges()) {
      EpochEnd diverges = fields.getDiverges();
      end = new EpochHistory.End(diverges.getEpoch(), diverges.getEndOffset());
    }
    ReplicationSource.Beginning beginning =
        fields.hasStartAnew() ? beginning(fields.getLogStart(), fields.getStartAnew()) : null;
    return new ReplicationSink.Received(
        fields.getLeaderEpoch(),
        fields.getCommitted(),
        fields.getLogStart(),
        fields.getLogEnd(),
        received.batches(),
        end,
        beginning);
  }

  private static ReplicationSource.Beginning beginning(long offset, StartAnew anew) {
    List<EpochHistory.Start> epochs = new ArrayList<>(anew.getEpochsCount());
    for (EpochEnd epoch : anew.getEpochsList()) {
      epochs.add(new EpochHistory.Start(epoch.getEpoch(), epoch.getEndOffset()));
    }
    return new ReplicationSource.Beginning(
        offset, anew.getWriters().asReadOnlyByteBuffer(), anew.getLastTimeMs(), epochs);
  }
}
