package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionTest {
  /** Nothing listens there: the port is reserved. */
  private static final String NOBODY = "127.0.0.1:1";

  @Test
  void asksTheNextCoordinatorWhenOneCannotBeReached() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 2, 1)) {
      String reachable = cluster.config().coordinators().get(0);
      try (Connection connection = Connection.open(ClientConfig.of(NOBODY + ", " + reachable))) {
        assertThat(connection.table("demo.t").description().bucketCount()).isEqualTo(2);
      }
    }
  }

  @Test
  void saysWhichCoordinatorFailedWhenNoneCanBeReached() {
    ClientConfig config = ClientConfig.of(NOBODY).withRequestTimeout(Duration.ofMillis(200));
    try (Connection connection = Connection.open(config)) {
      assertThatThrownBy(() -> connection.table("demo.t"))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code().retriable()).isTrue())
          .hasMessageContaining("demo.t")
          .hasMessageContaining(NOBODY);
    }
  }

  @Test
  void refusesMalformedAddressesAndSettings() {
    for (String bad : new String[] {"", "localhost", "localhost:", "localhost:0", ":9123"}) {
      assertThatThrownBy(() -> Connection.open(ClientConfig.of(bad)))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }
    ClientConfig config = ClientConfig.of(NOBODY);
    assertThatThrownBy(() -> config.withBatchBytes(0)).hasMessageContaining("batchBytes is 0");
    assertThatThrownBy(() -> config.withBufferBytes(1)).hasMessageContaining("bufferBytes is 1");
  }

  @Test
  void offsetsOfAllBucketsComeFromTheirLeaders() {
    try (FakeCluster cluster = new FakeCluster(AppendWriterTest.SCHEMA, 3, 2);
        Connection connection = Connection.open(cluster.config())) {
      Table table = connection.table("demo.t");
      try (AppendWriter writer = table.appendWriter()) {
        writer.row().setLong(0, 1).append();
      }
      var offsets = connection.admin().listOffsets(table.description().path());
      assertThat(offsets).hasSize(3);
      assertThat(offsets.values().stream().mapToLong(BucketOffsets::visible).sum()).isOne();
    }
  }
}
