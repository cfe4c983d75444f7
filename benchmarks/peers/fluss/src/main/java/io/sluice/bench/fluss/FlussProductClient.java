package io.sluice.bench.fluss;

import io.sluice.bench.harness.BenchSchema.BenchColumn;
import io.sluice.bench.harness.BenchSchema.Kind;
import io.sluice.bench.harness.ProductClient;
import io.sluice.bench.harness.ReadForm;
import io.sluice.bench.harness.RowReader;
import io.sluice.bench.harness.RowRing;
import io.sluice.bench.harness.RowWriter;
import io.sluice.bench.harness.Settings;
import io.sluice.bench.harness.TargetTable;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.fluss.client.Connection;
import org.apache.fluss.client.ConnectionFactory;
import org.apache.fluss.client.admin.Admin;
import org.apache.fluss.client.admin.OffsetSpec;
import org.apache.fluss.config.Configuration;
import org.apache.fluss.metadata.DatabaseDescriptor;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.types.DataType;
import org.apache.fluss.types.DataTypes;

/** Drives Apache Fluss. Settings are those of its client, {@code client.NAME}. */
final class FlussProductClient implements ProductClient {
  private static final String DATABASE = "bench";

  private final String bootstrap;
  private final Connection connection;
  private final Admin admin;
  private final Map<Settings, Connection> readers = new HashMap<>();

  FlussProductClient(String bootstrap) {
    this.bootstrap = bootstrap;
    this.connection = connect(new Settings(Map.of()));
    this.admin = connection.getAdmin();
  }

  private Connection connect(Settings settings) {
    Configuration configuration = new Configuration();
    configuration.setString("bootstrap.servers", bootstrap);
    settings.under("client.").forEach((name, v) -> configuration.setString("client." + name, v));
    return ConnectionFactory.createConnection(configuration);
  }

  private static TablePath path(TargetTable table) {
    return TablePath.of(DATABASE, table.name());
  }

  @Override
  public void createTable(TargetTable table) throws Exception {
    admin.createDatabase(DATABASE, DatabaseDescriptor.EMPTY, true).get();
    Schema.Builder schema = Schema.newBuilder();
    for (BenchColumn column : table.schema().columns()) {
      schema.column(column.name(), type(column.kind()));
    }
    TableDescriptor.Builder descriptor =
        TableDescriptor.builder().schema(schema.build()).distributedBy(table.buckets());
    if (!table.hasDefaultCodec()) {
      descriptor.property(
          "table.log.arrow.compression.type", table.codec().toUpperCase(Locale.ROOT));
    }
    admin.createTable(path(table), descriptor.build(), false).get();
  }

  private static DataType type(Kind kind) {
    switch (kind) {
      case INT:
        return DataTypes.INT();
      case BIGINT:
        return DataTypes.BIGINT();
      default:
        return DataTypes.STRING();
    }
  }

  @Override
  public void dropTable(TargetTable table) throws Exception {
    admin.dropTable(path(table), true).get();
  }

  @Override
  public RowWriter writer(TargetTable table, RowRing ring, Settings settings) {
    return new FlussRowWriter(connect(settings), path(table), ring);
  }

  @Override
  public RowReader reader(TargetTable table, int[] columns, ReadForm form, Settings settings) {
    return new FlussRowReader(
        readers.computeIfAbsent(settings, this::connect), path(table), table, columns, form);
  }

  @Override
  public long storedRows(TargetTable table) throws Exception {
    List<Integer> buckets =
        IntStream.range(0, table.buckets()).boxed().collect(Collectors.toList());
    return admin
        .listOffsets(path(table), buckets, new OffsetSpec.LatestSpec())
        .all()
        .get()
        .values()
        .stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  @Override
  public long storedBytes(TargetTable table) {
    return -1;
  }

  @Override
  public void close() throws Exception {
    for (Connection reader : readers.values()) {
      reader.close();
    }
    connection.close();
  }
}
