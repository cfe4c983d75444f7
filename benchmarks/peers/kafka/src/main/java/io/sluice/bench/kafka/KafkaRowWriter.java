package io.sluice.bench.kafka;

import io.sluice.bench.harness.RowRing;
import io.sluice.bench.harness.RowWriter;
import io.sluice.bench.harness.TargetTable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends each row as one record without a key. Its value: INT in 4 and BIGINT in 8 bytes,
 * big-endian; STRING as 2 bytes of length and UTF-8.
 */
final class KafkaRowWriter implements RowWriter {
  private final KafkaProducer<byte[], byte[]> producer;
  private final TargetTable table;
  private final RowRing ring;
  private final boolean inTurn;
  private final Callback noticeFailure = (metadata, e) -> notice(e);
  private byte[] scratch = new byte[4096];
  private int at;
  private volatile @Nullable Exception failure;

  KafkaRowWriter(Properties properties, TargetTable table, RowRing ring, boolean inTurn) {
    this.producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    this.table = table;
    this.ring = ring;
    this.inTurn = inTurn;
  }

  private void notice(@Nullable Exception e) {
    if (e != null && failure == null) {
      failure = e;
    }
  }

  @Override
  public int write(long number) {
    @Nullable Integer partition = inTurn ? (Integer) (int) (number % table.buckets()) : null;
    producer.send(
        new ProducerRecord<>(table.name(), partition, null, encode(number)), noticeFailure);
    return 1;
  }

  private byte[] encode(long number) {
    Object[] row = ring.row(number);
    at = 0;
    putLong(number);
    for (int column = 1; column < row.length; column++) {
      Object value = row[column];
      if (value instanceof Integer) {
        putInt((Integer) value);
      } else if (value instanceof Long) {
        putLong((Long) value);
      } else {
        putText((String) value);
      }
    }
    return Arrays.copyOf(scratch, at);
  }

  private void putInt(int value) {
    reserve(Integer.BYTES);
    scratch[at++] = (byte) (value >>> 24);
    scratch[at++] = (byte) (value >>> 16);
    scratch[at++] = (byte) (value >>> 8);
    scratch[at++] = (byte) value;
  }

  private void putLong(long value) {
    putInt((int) (value >>> 32));
    putInt((int) value);
  }

  private void putText(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    reserve(2 + bytes.length);
    scratch[at++] = (byte) (bytes.length >>> 8);
    scratch[at++] = (byte) bytes.length;
    System.arraycopy(bytes, 0, scratch, at, bytes.length);
    at += bytes.length;
  }

  private void reserve(int bytes) {
    if (scratch.length - at < bytes) {
      scratch = Arrays.copyOf(scratch, 2 * (at + bytes));
    }
  }

  @Override
  public void flush() throws Exception {
    producer.flush();
    Exception first = failure;
    if (first != null) {
      throw first;
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
