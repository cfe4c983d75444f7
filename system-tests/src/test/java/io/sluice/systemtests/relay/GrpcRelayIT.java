package io.sluice.systemtests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.ClientConfig;
import io.sluice.client.Connection;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.protocol.metadata.v1.CreateDatabaseRequest;
import io.sluice.systemtests.local.LocalCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The relay between the Java client and the coordinator. */
final class GrpcRelayIT {
  private final LocalCluster cluster = LocalCluster.shared();

  @Test
  void everyMomentOfACallIsSeenInOrder() {
    List<String> seen = new CopyOnWriteArrayList<>();
    try (GrpcRelay relay = new GrpcRelay(cluster.coordinators());
        Connection connection = Connection.open(ClientConfig.of(relay.address()))) {
      relay.install(
          message -> {
            if (message.method().equals("CreateDatabase")) {
              String name =
                  message.moment().ordinal() < Moment.ANSWERED.ordinal()
                      ? CreateDatabaseRequest.parseFrom(message.bytes()).getName()
                      : "";
              seen.add(message.moment() + name);
            }
            return Hook.Verdict.PASS;
          });
      connection.admin().createDatabase("relayed", true);
      assertThat(connection.admin().listDatabases()).contains("relayed");
      // The last moment comes after the answer has gone on.
      io.sluice.testkit.Await.until(
          "all moments are seen", Duration.ofSeconds(10), () -> seen.size() == 4);
      assertThat(seen).startsWith("ASKEDrelayed").endsWith("ANSWERED_ON");
      assertThat(seen.indexOf("ANSWERED")).isGreaterThan(seen.indexOf("ASKEDrelayed"));
    }
  }

  @Test
  void errorsComeThroughWithTheirDetails() {
    try (GrpcRelay relay = new GrpcRelay(cluster.coordinators());
        Connection connection = Connection.open(ClientConfig.of(relay.address()))) {
      assertThatThrownBy(() -> connection.admin().describe(TablePath.parse("relayed.nowhere")))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e ->
                  assertThat(e.code())
                      .isIn(ErrorCode.TABLE_NOT_FOUND, ErrorCode.DATABASE_NOT_FOUND));
    }
  }

  @Test
  void aLostAnswerIsALostCallThatTheServerExecuted() {
    AtomicInteger lost = new AtomicInteger();
    try (GrpcRelay relay = new GrpcRelay(cluster.coordinators());
        Connection connection =
            Connection.open(
                ClientConfig.of(relay.address()).withRequestTimeout(Duration.ofSeconds(5)));
        Connection direct = cluster.connect()) {
      relay.install(
          message -> {
            if (message.is("CreateDatabase", Moment.ANSWERED) && lost.getAndIncrement() == 0) {
              return Hook.Verdict.LOSE;
            }
            return Hook.Verdict.PASS;
          });
      direct.admin().dropDatabase("lost_answer", true);
      assertThatThrownBy(
              () -> {
                connection.admin().createDatabase("lost_answer", false);
                // A client that asks again is told that the database exists.
              })
          .isInstanceOf(SluiceException.class);
      assertThat(direct.admin().listDatabases()).contains("lost_answer");
    }
    assertThat(lost.get()).isPositive();
  }

  @Test
  void aLostQuestionNeverReachesTheServer() {
    try (GrpcRelay relay = new GrpcRelay(cluster.coordinators());
        Connection connection =
            Connection.open(
                ClientConfig.of(relay.address()).withRequestTimeout(Duration.ofSeconds(2)));
        Connection direct = cluster.connect()) {
      relay.install(
          message ->
              message.is("CreateDatabase", Moment.ASKED) ? Hook.Verdict.LOSE : Hook.Verdict.PASS);
      assertThatThrownBy(() -> connection.admin().createDatabase("lost_question", false))
          .isInstanceOf(SluiceException.class);
      assertThat(direct.admin().listDatabases()).doesNotContain("lost_question");
    }
  }
}
