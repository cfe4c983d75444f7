package io.sluice.tablet.flight;

import com.google.protobuf.ByteString;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.protocol.flight.v1.BucketScan;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.tablet.flight.TableDirectory.Located;
import io.sluice.tablet.replica.Replica;
import io.sluice.tablet.replica.ReplicaOffsets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.List;
import java.util.stream.IntStream;
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
    for (int bucket = 0; bucket < table.bucketCount(); bucket++) {
      if (table.leader(bucket) != 0) {
        info.addEndpoint(endpoint(table, scan, bucket(bucket)));
      }
    }
    return info.build();
  }

  /** The scan that a reader asked to plan; every bucket in it must have a leader. */
  FlightInfo planned(Located table, ScanTicket scan, FlightDescriptor descriptor) {
    FlightInfo.Builder info = base(table, scan, descriptor);
    List<BucketScan> buckets = scan.getBucketsList();
    if (buckets.isEmpty()) {
      buckets = IntStream.range(0, table.bucketCount()).mapToObj(FlightInfos::bucket).toList();
    }
    for (BucketScan bucket : buckets) {
      if (bucket.getBucket() < 0 || bucket.getBucket() >= table.bucketCount()) {
        throw ScanPlanner.noBucket(table.path(), bucket.getBucket(), table.bucketCount());
      }
      if (table.leader(bucket.getBucket()) == 0) {
        throw new SluiceException(
            ErrorCode.NOT_LEADER,
            "No server leads bucket "
                + bucket.getBucket()
                + " of "
                + table.path()
                + " now; ask again in a moment");
      }
      info.addEndpoint(endpoint(table, scan, bucket));
    }
    return info.build();
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
    boolean whole = scan.getBucketsList().isEmpty() && scan.getLimit() == 0 && !scan.getKvScan();
    if (whole && directory.leadsAll(table.tableId(), table.bucketCount())) {
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

  private FlightEndpoint endpoint(Located table, ScanTicket scan, BucketScan bucket) {
    ScanTicket ticket =
        scan.toBuilder().setTableId(table.tableId()).clearBuckets().addBuckets(bucket).build();
    FlightEndpoint.Builder endpoint =
        FlightEndpoint.newBuilder().setTicket(Ticket.newBuilder().setTicket(ticket.toByteString()));
    String leader = table.leaderAddress(bucket.getBucket());
    if (leader != null) {
      endpoint.addLocation(Location.newBuilder().setUri(SCHEME + leader));
    }
    // Without a location the reader asks the server that gave it the endpoint: this one.
    return endpoint.build();
  }

  private static BucketScan bucket(int bucket) {
    return BucketScan.newBuilder().setBucket(bucket).build();
  }

  private static FlightDescriptor pathOf(Located table) {
    return FlightDescriptor.newBuilder()
        .setType(FlightDescriptor.DescriptorType.PATH)
        .addPath(table.path().database())
        .addPath(table.path().table())
        .build();
  }
}
