package io.sluice.tablet.flight;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.format.batch.BatchWriter;
import io.sluice.format.batch.CompressionSettings;
import io.sluice.format.batch.EncodedBatch;
import io.sluice.format.batch.LogBatchEncoder;
import io.sluice.format.row.ColumnWriters;
import io.sluice.format.row.Row;
import io.sluice.format.schema.ArrowSchemas;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.ScanMetadata;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Stores batches without puts and reads scans message by message. */
final class ScannedTable {
  private final FlightHarness harness;
  private final FlightClient client;

  /** One message with rows. */
  record Message(ScanMetadata metadata, List<List<Object>> rows, int rowCount) {}

  ScannedTable(FlightHarness harness, FlightClient client) {
    this.harness = harness;
    this.client = client;
  }

  /** Stores the events {@code [from, to)} as one batch. */
  void store(FakeReplica replica, long from, long to) {
    try (VectorSchemaRoot root = Events.fill(Events.root(harness.clientAllocator), from, to)) {
      store(replica, root, FlightHarness.eventsSchema());
    }
  }

  /** Stores rows of any schema as one batch. */
  void store(FakeReplica replica, TableSchema schema, Row... rows) {
    try (VectorSchemaRoot root =
        VectorSchemaRoot.create(ArrowSchemas.toArrow(schema), harness.clientAllocator)) {
      ColumnWriters writers = ColumnWriters.of(schema, root, rows.length);
      writers.reset();
      for (Row row : rows) {
        writers.write(row);
      }
      store(replica, writers.finish(), schema);
    }
  }

  private void store(FakeReplica replica, VectorSchemaRoot root, TableSchema schema) {
    try (LogBatchEncoder encoder =
            new LogBatchEncoder(harness.clientAllocator, CompressionSettings.defaults());
        EncodedBatch batch = encoder.encode(root, schema, BatchWriter.NONE)) {
      replica.store(batch);
    }
  }

  /** The messages with rows that a stock client gets; throws what it throws. */
  List<Message> messages(ScanTicket.Builder ticket) {
    List<Message> messages = new ArrayList<>();
    try (FlightStream stream = client.getStream(new Ticket(ticket.build().toByteArray()))) {
      while (stream.next()) {
        byte[] bytes = new byte[(int) stream.getLatestMetadata().readableBytes()];
        stream.getLatestMetadata().getBytes(0, bytes);
        VectorSchemaRoot root = stream.getRoot();
        messages.add(
            new Message(ScanMetadata.parseFrom(bytes), Events.rows(root), root.getRowCount()));
      }
      return messages;
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  static List<List<Object>> rows(List<Message> messages) {
    return messages.stream().flatMap(each -> each.rows().stream()).toList();
  }

  static int rowCount(List<Message> messages) {
    return messages.stream().mapToInt(Message::rowCount).sum();
  }

  /** Where every message says it is, those without rows too, of a scan that ends. */
  List<ScanMetadata> rawMetadata(ScanTicket.Builder ticket) {
    RawCall call = rawCall(ticket);
    Await.until("the end", FlightHarness.SOON, () -> call.status() != null);
    return metadata(call);
  }

  /** Sizes of all messages of a scan that ends, the schema's included. */
  List<Integer> rawSizes(ScanTicket.Builder ticket) {
    RawCall call = rawCall(ticket);
    Await.until("the end", FlightHarness.SOON, () -> call.status().isOk());
    return call.answers().stream().map(each -> each.length).toList();
  }

  RawCall rawCall(ScanTicket.Builder ticket) {
    RawCall call =
        RawCall.get(
            harness.channel(),
            Flight.Ticket.newBuilder()
                .setTicket(ticket.build().toByteString())
                .build()
                .toByteArray());
    call.request(10_000);
    return call;
  }

  /** Waits for a message that says so. */
  void await(RawCall call, Predicate<ScanMetadata> wanted) {
    Await.until("a message", FlightHarness.SOON, () -> metadata(call).stream().anyMatch(wanted));
  }

  private static List<ScanMetadata> metadata(RawCall call) {
    List<ScanMetadata> all = new ArrayList<>();
    for (byte[] each : List.copyOf(call.answers())) {
      try {
        Flight.FlightData data = Flight.FlightData.parseFrom(each);
        if (!data.getAppMetadata().isEmpty()) {
          all.add(ScanMetadata.parseFrom(data.getAppMetadata()));
        }
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
    }
    return all;
  }
}
