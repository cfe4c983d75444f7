package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.protocol.metadata.v1.TableInfo;
import io.sluice.tablet.replica.Replica;
import io.sluice.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A scan of current rows is of what the bucket's leader has, never of one that was replaced. */
@Timeout(60)
final class RowScanLeaseTest {
  @TempDir private Path temp;

  private static void upload(KeyedHarness harness, FlightClient client) {
    Schema schema = new Schema(List.of(Field.nullable("iata", ArrowType.Utf8.INSTANCE)));
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, harness.clientAllocator)) {
      root.allocateNew();
      ((VarCharVector) root.getVector(0)).setSafe(0, "SFO".getBytes(StandardCharsets.UTF_8));
      root.setRowCount(1);
      FlightClient.ClientStreamListener upload =
          client.startPut(FlightDescriptor.path("demo", "airports"), root, new AsyncPutListener());
      upload.putNext();
      upload.completed();
      upload.getResult();
    }
  }

  private static List<List<Object>> rows(FlightClient client) throws Exception {
    ScanTicket ticket =
        ScanTicket.newBuilder().setDatabase("demo").setTable("airports").setKvScan(true).build();
    try (FlightStream stream = client.getStream(new Ticket(ticket.toByteArray()))) {
      return Events.read(stream);
    }
  }

  @Test
  void aLeaderWithoutALeaseSendsNoRows() throws Exception {
    try (KeyedHarness harness = new KeyedHarness(temp)) {
      TableInfo table = harness.createAirports(1);
      FlightClient client = harness.client();
      upload(harness, client);
      assertThat(rows(client)).hasSize(1);
      TableBucket bucket = TableBucket.of(table.getTableId(), 0);
      harness.joinedByASilentServer(bucket);
      Replica replica = harness.replicas.require(bucket);
      Await.until("the lease is lost", FlightHarness.SOON, () -> !hasLease(replica));
      assertThat(replica.requireLeader()).as("it leads as far as it knows").isEqualTo(1);
      assertThatThrownBy(() -> rows(client))
          .hasMessageContaining("cannot tell whether it still leads demo.airports-0");
    }
  }

  private static boolean hasLease(Replica replica) {
    try {
      replica.requireLease();
      return true;
    } catch (SluiceException e) {
      return false;
    }
  }
}
