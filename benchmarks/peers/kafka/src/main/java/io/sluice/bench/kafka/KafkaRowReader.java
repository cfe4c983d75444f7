package io.sluice.bench.kafka;

import io.sluice.bench.harness.BenchSchema;
import io.sluice.bench.harness.BenchSchema.Kind;
import io.sluice.bench.harness.ReadForm;
import io.sluice.bench.harness.ReadSum;
import io.sluice.bench.harness.RowReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads what {@link KafkaRowWriter} wrote; a value is decoded as far as the last wanted column. */
final class KafkaRowReader implements RowReader {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Kind[] kinds;
  private final boolean[] wanted;
  private final boolean strings;

  KafkaRowReader(
      Properties properties,
      List<TopicPartition> partitions,
      BenchSchema schema,
      int[] columns,
      ReadForm form) {
    this.kinds = new Kind[columns[columns.length - 1] + 1];
    this.wanted = new boolean[kinds.length];
    for (int column = 0; column < kinds.length; column++) {
      kinds[column] = schema.columns().get(column).kind();
    }
    for (int column : columns) {
      wanted[column] = true;
    }
    this.strings = form == ReadForm.ROWS;
    this.consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  @Override
  public int poll(Duration timeout, ReadSum sum) {
    int rows = 0;
    boolean first = true;
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout)) {
      if (first) {
        sum.arrived();
        first = false;
      }
      decode(record.value(), sum);
      rows++;
    }
    return rows;
  }

  private void decode(byte[] value, ReadSum sum) {
    int at = 0;
    for (int column = 0; column < kinds.length; column++) {
      switch (kinds[column]) {
        case INT:
          if (wanted[column]) {
            sum.number(intAt(value, at));
          }
          at += Integer.BYTES;
          break;
        case BIGINT:
          if (wanted[column] && column == 0) {
            sum.id(longAt(value, at));
          } else if (wanted[column]) {
            sum.number(longAt(value, at));
          }
          at += Long.BYTES;
          break;
        default:
          int length = (value[at] & 0xff) << 8 | value[at + 1] & 0xff;
          at += 2;
          if (wanted[column] && strings) {
            sum.text(new String(value, at, length, StandardCharsets.UTF_8));
          } else if (wanted[column]) {
            sum.text(length, length == 0 ? 0 : value[at]);
          }
          at += length;
      }
    }
  }

  private static int intAt(byte[] value, int at) {
    return (value[at] & 0xff) << 24
        | (value[at + 1] & 0xff) << 16
        | (value[at + 2] & 0xff) << 8
        | value[at + 3] & 0xff;
  }

  private static long longAt(byte[] value, int at) {
    return (long) intAt(value, at) << 32 | intAt(value, at + 4) & 0xffffffffL;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
