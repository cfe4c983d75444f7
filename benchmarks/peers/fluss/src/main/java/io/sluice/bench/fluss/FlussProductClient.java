package io.sluice.bench.fluss;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.BenchSchema.BenchColumn;
import io.sluice.bench.harness.BenchSchema.Kind;
import io.sluice.bench.harness.KeyedProductClient;
import io.sluice.bench.harness.KeyedReader;
import io.sluice.bench.harness.KeyedWriter;
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
import org.apache.fluss.metadata.AggFunctions;
import org.apache.fluss.metadata.DatabaseDescriptor;
import org.apache.fluss.metadata.Schema;
import org.apache.fluss.metadata.TableDescriptor;
import org.apache.fluss.metadata.TablePath;
import org.apache.fluss.types.DataType;
import org.apache.fluss.types.DataTypes;

/** Drives Apache Fluss. Settings are those of its client, {@code client.NAME}. */
final class FlussProductClient implements KeyedProductClient {
  private static final String DATABASE = "bench";

  private final String bootstrap;
  private final Connection connection;
  private final Admin admin;
  private final Map<Settings, Connection> readers = new HashMap<>();

  FlussProductClient(String bootstrap) {
    this.bootstrap = bootstrap;
    this.connection = connect(Settings.NONE);
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
    BenchSchema columns = table.schema();
    TableDescriptor.Builder descriptor =
        TableDescriptor.builder()
            .schema(schema(columns))
            .distributedBy(table.buckets(), columns.leading(columns.bucketColumns()));
    if (columns.aggregates()) {
      descriptor.property("table.merge-engine", "aggregation");
    }
    if (table.walImage()) {
      descriptor.property("table.changelog.image", "WAL");
    }
    if (!table.hasDefaultCodec()) {
      descriptor.property(
          "table.log.arrow.compression.type", table.codec().toUpperCase(Locale.ROOT));
    }
    admin.createTable(path(table), descriptor.build(), false).get();
  }

  private static Schema schema(BenchSchema columns) {
    Schema.Builder schema = Schema.newBuilder();
    List<String> key = columns.leading(columns.keyColumns());
    for (BenchColumn column : columns.columns()) {
      DataType type = type(column.kind()).copy(!key.contains(column.name()));
      if (column.aggregate().equals(BenchSchema.SUM)) {
        schema.column(column.name(), type, AggFunctions.SUM());
      } else if (column.aggregate().equals(BenchSchema.UNION)) {
        schema.column(column.name(), type, AggFunctions.RBM32());
      } else {
        schema.column(column.name(), type);
      }
    }
    if (!key.isEmpty()) {
      schema.primaryKey(key);
    }
    return schema.build();
  }

  private static DataType type(Kind kind) {
    switch (kind) {
      case INT:
        return DataTypes.INT();
      case BIGINT:
        return DataTypes.BIGINT();
      case BYTES:
        return DataTypes.BYTES();
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
  public KeyedWriter upserts(TargetTable table, RowRing ring, int[] columns, Settings settings) {
    return new FlussKeyedWriter(connect(settings), path(table), ring, columns);
  }

  @Override
  public KeyedReader lookups(TargetTable table, Settings settings) {
    return new FlussKeyedReader(shared(settings), path(table), table.schema());
  }

  @Override
  public RowReader reader(TargetTable table, int[] columns, ReadForm form, Settings settings) {
    return new FlussRowReader(shared(settings), path(table), table, columns, form, Map.of());
  }

  @Override
  public RowReader changelog(TargetTable table, Settings settings) throws Exception {
    return new FlussRowReader(
        shared(settings),
        path(table),
        table,
        table.schema().allColumns(),
        ReadForm.RAW,
        ends(table));
  }

  private Connection shared(Settings settings) {
    return readers.computeIfAbsent(settings, this::connect);
  }

  @Override
  public long storedRows(TargetTable table) throws Exception {
    return ends(table).values().stream().mapToLong(Long::longValue).sum();
  }

  private Map<Integer, Long> ends(TargetTable table) throws Exception {
    List<Integer> buckets =
        IntStream.range(0, table.buckets()).boxed().collect(Collectors.toList());
    return admin.listOffsets(path(table), buckets, new OffsetSpec.LatestSpec()).all().get();
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
