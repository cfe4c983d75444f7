package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TablePath;
import io.sluice.protocol.flight.v1.ScanTicket;
import io.sluice.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How large the messages of a scan of current rows are. */
final class KvScanStreamTest {
  private static final TablePath TEXTS = new TablePath("demo", "texts");
  private static final int KIBIBYTE = 1024;

  /** What most clients take in when they are not told otherwise. */
  private static final int COMMON_LIMIT = 4 * KIBIBYTE * KIBIBYTE;

  private static final Schema ROW =
      new Schema(
          List.of(
              Field.nullable("iata", ArrowType.Utf8.INSTANCE),
              Field.nullable("name", ArrowType.Utf8.INSTANCE)));

  @TempDir private Path temp;

  private KeyedHarness harness;
  private FlightClient client;

  @BeforeEach
  void open() throws Exception {
    harness = new KeyedHarness(temp);
    harness.coordinator.create(TEXTS, KeyedHarness.airportsSchema(), 1, List.of("iata"));
    client = harness.client();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  /** Puts rows by key, each with a text of so many letters, one message for each row. */
  private void upload(Map<String, Integer> letters) {
    try (VectorSchemaRoot root = VectorSchemaRoot.create(ROW, harness.clientAllocator)) {
      FlightClient.ClientStreamListener upload =
          client.startPut(FlightDescriptor.path("demo", "texts"), root, new AsyncPutListener());
      letters.forEach(
          (key, count) -> {
            root.allocateNew();
            ((VarCharVector) root.getVector(0)).setSafe(0, key.getBytes(StandardCharsets.UTF_8));
            ((VarCharVector) root.getVector(1))
                .setSafe(0, "x".repeat(count).getBytes(StandardCharsets.UTF_8));
            root.setRowCount(1);
            upload.putNext();
          });
      upload.completed();
      upload.getResult();
    }
  }

  private static ScanTicket.Builder ticket() {
    return ScanTicket.newBuilder().setDatabase("demo").setTable("texts").setKvScan(true);
  }

  /** The lengths of the texts that each message of a scan has. */
  private List<List<Integer>> messages() throws Exception {
    List<List<Integer>> messages = new ArrayList<>();
    try (FlightStream stream = client.getStream(new Ticket(ticket().build().toByteArray()))) {
      while (stream.next()) {
        VarCharVector texts = (VarCharVector) stream.getRoot().getVector("name");
        List<Integer> lengths = new ArrayList<>();
        for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
          lengths.add(texts.getValueLength(row));
        }
        messages.add(lengths);
      }
    }
    return messages;
  }

  @Test
  void aScanWhoseClientIsSlowHoldsNoVectors() {
    Map<String, Integer> letters = new TreeMap<>();
    for (int i = 0; i < 70; i++) {
      letters.put("k%03d".formatted(i), 100 * KIBIBYTE);
    }
    upload(letters);
    long before = harness.allocator.getAllocatedMemory();
    List<RawCall> slow = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      RawCall call = rawCall(ticket());
      call.request(2);
      slow.add(call);
    }
    Await.until(
        "each scan has begun",
        FlightHarness.SOON,
        () -> slow.stream().allMatch(call -> call.answers().size() == 2));
    Await.until(
        "only what was held before",
        FlightHarness.SOON,
        () -> harness.allocator.getAllocatedMemory() == before);
    for (RawCall call : slow) {
      call.request(10_000);
      assertThat(call.status().isOk()).isTrue();
      assertThat(call.answers()).hasSize(1 + 7);
    }
  }

  private RawCall rawCall(ScanTicket.Builder ticket) {
    return RawCall.get(
        harness.channel(),
        Flight.Ticket.newBuilder().setTicket(ticket.build().toByteString()).build().toByteArray());
  }

  /** Sizes of the messages that a client with the common limit gets, the schema's included. */
  private List<Integer> sizes(ScanTicket.Builder ticket) {
    RawCall call = rawCall(ticket);
    call.request(10_000);
    assertThat(call.status().isOk()).as("%s", call.status()).isTrue();
    return call.answers().stream().map(each -> each.length).toList();
  }

  @Test
  void largeRowsComeInMessagesOfAboutAMebibyte() throws Exception {
    Map<String, Integer> letters = new TreeMap<>();
    for (int i = 0; i < 70; i++) {
      letters.put("k%03d".formatted(i), 100 * KIBIBYTE);
    }
    upload(letters);
    assertThat(messages().stream().flatMap(List::stream)).hasSize(70).containsOnly(100 * KIBIBYTE);
    assertThat(sizes(ticket())).hasSize(1 + 7).allMatch(size -> size < 1300 * KIBIBYTE);
  }

  @Test
  void aRowThatDoesNotFitTheMessageBeginsTheNext() throws Exception {
    int mebibyte = KIBIBYTE * KIBIBYTE;
    Map<String, Integer> letters = new TreeMap<>();
    letters.put("a", 900 * KIBIBYTE);
    letters.put("b", 3 * mebibyte);
    letters.put("c", 10);
    letters.put("d", 900 * KIBIBYTE);
    letters.put("e", 3 * mebibyte);
    upload(letters);
    assertThat(messages())
        .containsExactly(
            List.of(900 * KIBIBYTE),
            List.of(3 * mebibyte),
            List.of(10, 900 * KIBIBYTE),
            List.of(3 * mebibyte));
    assertThat(sizes(ticket())).allMatch(size -> size < COMMON_LIMIT);
    assertThat(sizes(ticket().setLimit(1))).hasSize(2);
  }
}
