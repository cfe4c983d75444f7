package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.filter.BoundFilter;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.tablet.flight.TableDirectory.Located;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaOffsets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.List;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor;
import org.apache.arrow.flight.impl.Flight.FlightEndpoint;
import org.apache.arrow.flight.impl.Flight.FlightInfo;
import org.apache.arrow.flight.impl.Flight.Location;
import org.apache.arrow.flight.impl.Flight.Ticket;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/** Builds flight infos: one endpoint a bucket, at its leader, with a ticket that scans it. */
final class FlightInfos {
  private static final String SCHEME = "grpc+tcp://";

  private final TableDirectory directory;

  FlightInfos(TableDirectory directory) {
    this.directory = directory;
  }

  /** The whole table, as a list of tables shows it; buckets without a leader have no endpoint. */
  FlightInfo listed(Located table) {
    ScanTicket scan = whole(table);
    FlightInfo.Builder info = base(table, scan, pathOf(table));
    for (TableBucket bucket : table.buckets()) {
      if (table.leader(bucket) != 0) {
        info.addEndpoint(endpoint(table, scan, bucket, scan(bucket)));
      }
    }
    return info.build();
  }

  /**
   * The scan that a reader asked to plan; every bucket in it must have a leader. Partitions that
   * the filter rules out are left out.
   */
  FlightInfo planned(Located table, ScanTicket scan, FlightDescriptor descriptor) {
    FlightInfo.Builder info = base(table, scan, descriptor);
    BoundFilter filter = ScanPlanner.choice(table.schema(), scan).filter();
    List<BucketScan> buckets = scan.getBucketsList();
    if (buckets.isEmpty()) {
      buckets =
          ScanPlanner.allBuckets(
              table.partitionKeys(), table.partitions(), table.bucketCount(), filter);
    }
    for (BucketScan each : buckets) {
      ScanPlanner.checkBucket(table.path(), table.partitioned(), table.bucketCount(), each);
      TableBucket bucket = table.bucket(each.getPartitionId(), each.getBucket());
      requireLed(table, bucket);
      info.addEndpoint(endpoint(table, scan, bucket, each));
    }
    return info.build();
  }

  private static void requireLed(Located table, TableBucket bucket) {
    if (table.partitioned() && !table.partitions().containsKey(bucket.partitionId())) {
      throw new SluiceException(
          ErrorCode.PARTITION_NOT_FOUND,
          "Table "
              + table.path()
              + " has no partition "
              + bucket.partitionId()
              + "; it was dropped, or belongs to another table");
    }
    if (table.leader(bucket) == 0) {
      throw new SluiceException(
          ErrorCode.NOT_LEADER,
          "No server leads bucket "
              + bucket.bucket()
              + " of "
              + table.path()
              + " now; ask again in a moment");
    }
  }

  /** The ticket that scans the whole table with all its columns. */
  static ScanTicket whole(Located table) {
    return ScanTicket.newBuilder()
        .setDatabase(table.path().database())
        .setTable(table.path().table())
        .setTableId(table.tableId())
        .build();
  }

  /** The encapsulated IPC message of a schema, as FlightInfo and SchemaResult carry it. */
  static ByteString ipc(Schema schema) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), schema);
    } catch (IOException e) {
      throw new SluiceException(ErrorCode.INTERNAL, "Cannot serialize schema " + schema, e);
    }
    return ByteString.copyFrom(bytes.toByteArray());
  }

  private FlightInfo.Builder base(Located table, ScanTicket scan, FlightDescriptor descriptor) {
    FlightInfo.Builder info =
        FlightInfo.newBuilder()
            .setSchema(ipc(ScanSchema.of(table.schema(), scan).arrow()))
            .setFlightDescriptor(descriptor)
            .setTotalRecords(-1)
            .setTotalBytes(-1);
    boolean whole =
        scan.getBucketsList().isEmpty()
            && scan.getLimit() == 0
            && scan.getMaxBytes() == 0
            && scan.getFilter().isEmpty()
            && !scan.getKvScan();
    if (whole && directory.leadsAll(table)) {
      long rows = 0;
      long bytes = 0;
      for (Replica replica : directory.replicas().ofTable(table.tableId())) {
        ReplicaOffsets offsets = replica.offsets();
        rows += offsets.visible() - offsets.logStart();
        bytes += replica.sizeBytes();
      }
      info.setTotalRecords(rows).setTotalBytes(bytes);
    }
    return info;
  }

  private FlightEndpoint endpoint(
      Located table, ScanTicket scan, TableBucket bucket, BucketScan range) {
    ScanTicket ticket =
        scan.toBuilder().setTableId(table.tableId()).clearBuckets().addBuckets(range).build();
    FlightEndpoint.Builder endpoint =
        FlightEndpoint.newBuilder().setTicket(Ticket.newBuilder().setTicket(ticket.toByteString()));
    String leader = table.leaderAddress(bucket);
    if (leader != null) {
      endpoint.addLocation(Location.newBuilder().setUri(SCHEME + leader));
    }
    // Without a location the reader asks the server that gave it the endpoint: this one.
    return endpoint.build();
  }

  private static BucketScan scan(TableBucket bucket) {
    return BucketScan.newBuilder()
        .setPartitionId(bucket.partitionId())
        .setBucket(bucket.bucket())
        .build();
  }

  private static FlightDescriptor pathOf(Located table) {
    return FlightDescriptor.newBuilder()
        .setType(FlightDescriptor.DescriptorType.PATH)
        .addPath(table.path().database())
        .addPath(table.path().table())
        .build();
  }
}
