package io.sluice.systemtests.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.AppendWriter;
import io.sluice.client.Connection;
import io.sluice.client.TableSpec;
import io.sluice.format.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** The most columns a table can have: created, written and read, by our client and by Arrow's. */
final class WideTableIT {
  private static final int COLUMNS = 4096;
  private static final int ROWS = 60;
  private static final int NARROW = 17;
  private static final int LAST = COLUMNS - 1;

  private final LocalCluster cluster = LocalCluster.shared();

  @Test
  void tablesOfTheMostColumnsAreWrittenAndRead() throws Exception {
    try (Connection connection = cluster.connect();
        BufferAllocator allocator = new RootAllocator();
        FlightClient client =
            FlightClient.builder(
                    allocator, Location.forGrpcInsecure("127.0.0.1", cluster.flightPort(1)))
                .build()) {
      create(connection);
      try (AppendWriter writer = connection.table("wide.table").appendWriter()) {
        for (int row = 0; row < ROWS / 2; row++) {
          int number = row;
          writer.append(
              Row.of(IntStream.range(0, COLUMNS).mapToObj(c -> value(number, c)).toArray()));
        }
      }
      upload(client, allocator, ROWS / 2, ROWS);

      assertThat(
              ScannedRows.read(
                  connection.table("wide.table").scan().columns("c" + NARROW, "c" + LAST),
                  row -> text(row, 0) + " " + text(row, 1)))
          .isEqualTo(expected());
      assertThat(
              ScannedRows.read(
                  connection.table("wide.table").scan().filter("c4000 = 4"),
                  row -> text(row, NARROW) + " " + text(row, LAST)))
          .containsExactly(expected().get(4));
      assertThat(readStock(client, "\"columns\":[\"c17\",\"c4095\"]")).isEqualTo(expected());
      assertThat(readStock(client, "\"limit\":100")).isEqualTo(expected());
    }
  }

  private static void create(Connection connection) {
    connection.admin().createDatabase("wide", true);
    TableSpec.Builder spec = TableSpec.of("wide.table").buckets(1);
    IntStream.range(0, COLUMNS).forEach(column -> spec.column("c" + column, "INT"));
    connection.admin().createTable(spec.build());
  }

  /** Every fifth value of a diagonal is NULL; column 4000 holds the number of the row. */
  private static Integer value(int row, int column) {
    if (column == 4000) {
      return row;
    }
    return (row + column) % 5 == 0 ? null : row * COLUMNS + column;
  }

  private static List<String> expected() {
    return IntStream.range(0, ROWS)
        .mapToObj(row -> value(row, NARROW) + " " + value(row, LAST))
        .toList();
  }

  private static String text(Row row, int column) {
    return row.isNull(column) ? "null" : "" + row.getInt(column);
  }

  private static void upload(FlightClient client, BufferAllocator allocator, int from, int to) {
    Schema schema =
        new Schema(
            IntStream.range(0, COLUMNS)
                .mapToObj(column -> Field.nullable("c" + column, new ArrowType.Int(32, true)))
                .toList());
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
      for (int column = 0; column < COLUMNS; column++) {
        IntVector vector = (IntVector) root.getVector(column);
        vector.allocateNew(to - from);
        for (int row = from; row < to; row++) {
          Integer value = value(row, column);
          if (value != null) {
            vector.set(row - from, value);
          }
        }
      }
      root.setRowCount(to - from);
      FlightClient.ClientStreamListener writer =
          client.startPut(FlightDescriptor.path("wide", "table"), root, new AsyncPutListener());
      writer.putNext();
      writer.completed();
      writer.getResult();
    }
  }

  private List<String> readStock(FlightClient client, String options) throws Exception {
    FlightDescriptor scan =
        FlightDescriptor.command(
            ("{\"scan\":{\"database\":\"wide\",\"table\":\"table\"," + options + "}}")
                .getBytes(StandardCharsets.UTF_8));
    List<String> found = new ArrayList<>();
    for (FlightEndpoint endpoint : client.getInfo(scan).getEndpoints()) {
      try (BufferAllocator allocator = new RootAllocator();
          FlightClient leader =
              FlightClient.builder(allocator, endpoint.getLocations().get(0)).build();
          FlightStream stream = leader.getStream(endpoint.getTicket())) {
        while (stream.next()) {
          VectorSchemaRoot root = stream.getRoot();
          for (int row = 0; row < root.getRowCount(); row++) {
            found.add(
                root.getVector("c" + NARROW).getObject(row)
                    + " "
                    + root.getVector("c" + LAST).getObject(row));
          }
        }
      }
    }
    return found;
  }
}
