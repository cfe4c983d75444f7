package io.sluice.tablet.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.TablePath;
import io.sluice.format.schema.Column;
import io.sluice.format.schema.DataTypeParser;
import io.sluice.format.schema.TableSchema;
import io.sluice.protocol.flight.v1.ScanTicket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partial updates by stock Arrow Flight clients. */
final class PartialUploadTest {
  private static final Field OP = Field.nullable("_op", ArrowType.Utf8.INSTANCE);
  private static final Field IATA = Field.nullable("iata", ArrowType.Utf8.INSTANCE);
  private static final Field NAME = Field.nullable("name", ArrowType.Utf8.INSTANCE);
  private static final Field ELEVATION = Field.nullable("elevation", new ArrowType.Int(32, true));

  @TempDir private Path temp;

  private KeyedHarness harness;
  private FlightClient client;

  @BeforeEach
  void open() throws Exception {
    harness = new KeyedHarness(temp);
    harness.createAirports(2);
    client = harness.client();
    upload(
        "\"iata\", \"name\", \"elevation\"",
        List.of(IATA, NAME, ELEVATION),
        row("SFO", "San Francisco", 13),
        row("JFK", "Kennedy", 12),
        row("DEN", "Denver", 5431));
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  private static List<@Nullable Object> row(@Nullable Object... values) {
    return Arrays.asList(values);
  }

  @SafeVarargs
  private void upload(String targets, List<Field> fields, List<@Nullable Object>... rows) {
    uploadTo("airports", "\"targetColumns\": [" + targets + "]", fields, rows);
  }

  @SafeVarargs
  private void uploadTo(
      String table, String options, List<Field> fields, List<@Nullable Object>... rows) {
    String command =
        "{\"stockPut\": {\"database\": \"demo\", \"table\": \"%s\", %s}}".formatted(table, options);
    FlightDescriptor descriptor =
        FlightDescriptor.command(command.getBytes(StandardCharsets.UTF_8));
    try (VectorSchemaRoot root =
        VectorSchemaRoot.create(new Schema(fields), harness.clientAllocator)) {
      root.allocateNew();
      for (int row = 0; row < rows.length; row++) {
        for (int column = 0; column < fields.size(); column++) {
          set(root.getVector(column), row, rows[row].get(column));
        }
      }
      root.setRowCount(rows.length);
      FlightClient.ClientStreamListener upload =
          client.startPut(descriptor, root, new AsyncPutListener());
      upload.putNext();
      upload.completed();
      upload.getResult();
    }
  }

  private static void set(FieldVector vector, int row, @Nullable Object value) {
    if (value == null) {
      vector.setNull(row);
    } else if (vector instanceof VarCharVector text) {
      text.setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
    } else {
      ((IntVector) vector).setSafe(row, (Integer) value);
    }
  }

  private List<List<Object>> read(ScanTicket.Builder ticket) throws Exception {
    Ticket bytes =
        new Ticket(ticket.setDatabase("demo").setTable("airports").build().toByteArray());
    try (FlightStream stream = client.getStream(bytes)) {
      return Events.read(stream);
    }
  }

  @Test
  void otherColumnsStayAsTheyAre() throws Exception {
    // The columns of the upload come in an order of their own.
    upload("\"elevation\", \"iata\"", List.of(IATA, ELEVATION), row("SFO", 14), row("BOS", 6));
    assertThat(read(ScanTicket.newBuilder().setKvScan(true)))
        .containsExactlyInAnyOrder(
            row("SFO", "San Francisco", 14),
            row("JFK", "Kennedy", 12),
            row("DEN", "Denver", 5431),
            row("BOS", null, 6));
  }

  @Test
  void deletesSetTheTargetsToNullAndKeepTheRow() throws Exception {
    upload(
        "\"iata\", \"elevation\"",
        List.of(OP, IATA, ELEVATION),
        row("-D", "SFO", null),
        row("+U", "JFK", 13),
        row("-D", "ZZZ", null),
        row("+I", "DEN", 5432),
        row("-D", "DEN", 1));
    assertThat(read(ScanTicket.newBuilder().setKvScan(true)))
        .containsExactlyInAnyOrder(
            row("SFO", "San Francisco", null),
            row("JFK", "Kennedy", 13),
            row("DEN", "Denver", null));
    assertThat(read(ScanTicket.newBuilder().addColumns("elevation").setWithChangeType(true)))
        .containsExactlyInAnyOrder(
            row(13, "+I"),
            row(12, "+I"),
            row(5431, "+I"),
            row(13, "-U"),
            row(null, "+U"),
            row(12, "-U"),
            row(13, "+U"),
            row(5431, "-U"),
            row(5432, "+U"),
            row(5432, "-U"),
            row(null, "+U"));
  }

  @Test
  void aNamedPartialUploadIsStoredOnce() throws Exception {
    for (int times = 0; times < 2; times++) {
      uploadTo(
          "airports",
          "\"writerName\": \"heights\", \"targetColumns\": [\"iata\", \"elevation\"]",
          List.of(IATA, ELEVATION),
          row("SFO", 1),
          row("SFO", 2),
          row("SFO", 3));
    }
    assertThat(read(ScanTicket.newBuilder().addColumns("iata"))).hasSize(3 + 6);
  }

  /** The rows before and after an update of a small column may be large. */
  @Test
  void anUploadWhoseChangesDoNotFitOneBatchIsStoredInParts() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    List<List<Object>> large = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      StringBuilder noise = new StringBuilder();
      random.ints(1_500_000, ' ', 127).forEach(c -> noise.append((char) c));
      large.add(row("L" + i, noise.toString()));
      upload("\"iata\", \"name\"", List.of(IATA, NAME), large.get(i));
    }
    for (int times = 0; times < 2; times++) {
      uploadTo(
          "airports",
          "\"writerName\": \"heights\", \"targetColumns\": [\"iata\", \"elevation\"]",
          List.of(IATA, ELEVATION),
          row("L0", 1),
          row("L1", 2),
          row("L2", 3),
          row("L3", 4),
          row("L0", 5));
    }
    assertThat(read(ScanTicket.newBuilder().setKvScan(true).addColumns("elevation")))
        .contains(row(5), row(2), row(3), row(4));
    // One record for each new row, two for each change.
    assertThat(read(ScanTicket.newBuilder().addColumns("elevation"))).hasSize(3 + 4 + 10);
  }

  @Test
  void wrongTargetsAreRefusedNamingTheColumn() throws Exception {
    assertThatThrownBy(() -> upload("\"name\"", List.of(NAME), row("x")))
        .hasMessageContaining("demo.airports")
        .hasMessageContaining("'iata' must be a target column: it is a key column");
    assertThatThrownBy(() -> upload("\"iata\", \"nmae\"", List.of(IATA), row("SFO")))
        .hasMessageContaining("'nmae' does not exist");
    assertThatThrownBy(() -> upload("\"iata\", \"name\", \"iata\"", List.of(IATA), row("SFO")))
        .hasMessageContaining("'iata' twice");
    assertThatThrownBy(() -> upload("\"iata\", \"name\"", List.of(IATA), row("SFO")))
        .hasMessageContaining("no column 'name', which is a target column");
    assertThatThrownBy(
            () -> upload("\"iata\", \"name\"", List.of(IATA, NAME, ELEVATION), row("A", "b", 1)))
        .hasMessageContaining("'elevation'")
        .hasMessageContaining("not a target column");
    assertThatThrownBy(() -> upload("\"iata\", \"name\"", List.of(IATA, NAME), row(null, "b")))
        .hasMessageContaining("iata")
        .hasMessageContaining("NULL");
    assertThat(read(ScanTicket.newBuilder().setKvScan(true))).hasSize(3);
  }

  @Test
  void aRequiredColumnMustBeATarget() {
    harness.coordinator.create(
        new TablePath("demo", "strict"),
        new TableSchema(
            1,
            List.of(
                Column.of(1, "iata", DataTypeParser.parse("STRING"), false),
                Column.of(2, "name", DataTypeParser.parse("STRING"), false),
                Column.of(3, "elevation", DataTypeParser.parse("INT"), true)),
            List.of("iata")),
        1,
        List.of("iata"));
    assertThatThrownBy(
            () ->
                uploadTo(
                    "strict",
                    "\"targetColumns\": [\"iata\", \"elevation\"]",
                    List.of(IATA, ELEVATION),
                    row("SFO", 1)))
        .hasMessageContaining("'name' must be a target column: it is NOT NULL");
  }

  @Test
  void logTablesTakeWholeRowsOnly() {
    harness.coordinator.create(FlightHarness.EVENTS, FlightHarness.eventsSchema(), 1, List.of());
    assertThatThrownBy(
            () -> uploadTo("events", "\"targetColumns\": [\"id\"]", List.of(NAME), row("x")))
        .hasMessageContaining("demo.events takes whole rows");
  }
}
