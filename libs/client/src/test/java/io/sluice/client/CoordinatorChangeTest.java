package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.v1.CreateDatabaseRequest;
import io.sluice.protocol.metadata.v1.DatabaseInfo;
import io.sluice.protocol.metadata.v1.DropTableRequest;
import io.sluice.protocol.metadata.v1.DropTableResponse;
import io.sluice.protocol.metadata.v1.ListDatabasesRequest;
import io.sluice.protocol.metadata.v1.ListDatabasesResponse;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the client does when the coordinator it asks is away, follows another one, or dies. */
@Timeout(60)
class CoordinatorChangeTest {
  private final List<Server> servers = new ArrayList<>();

  @AfterEach
  void stop() {
    servers.forEach(Server::shutdownNow);
  }

  /** What the coordinators agree on. */
  private static final class Shared {
    private final Set<String> databases = new HashSet<>();
    private boolean table = true;
  }

  /** One of them: it leads, names another one, or knows none. */
  private final class Coordinator extends MetadataServiceGrpc.MetadataServiceImplBase {
    private final Shared shared;
    private final AtomicInteger asked = new AtomicInteger();
    private final Server server;
    private volatile boolean leads;
    private volatile String leader = "";

    /** How many requests are done and their answers lost. */
    private volatile int lostAnswers;

    /** After how many requests it leads, 0 for never by itself. */
    private volatile int leadsAfter;

    Coordinator(Shared shared, boolean leads) throws IOException {
      this.shared = shared;
      this.leads = leads;
      this.server =
          NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
              .addService(this)
              .build()
              .start();
      servers.add(server);
    }

    String address() {
      return "127.0.0.1:" + server.getPort();
    }

    private <M> boolean refuse(StreamObserver<M> answers) {
      if (asked.incrementAndGet() == leadsAfter) {
        leads = true;
      }
      if (leads) {
        return false;
      }
      answers.onError(
          StatusMapping.toStatus(
              new SluiceException(
                  ErrorCode.NOT_COORDINATOR_LEADER,
                  "not me",
                  leader.isEmpty() ? Map.of() : Map.of("leader", leader),
                  null)));
      return true;
    }

    private <M> void answer(StreamObserver<M> answers, M message) {
      if (lostAnswers > 0) {
        lostAnswers--;
        leads = false;
        answers.onError(Status.UNAVAILABLE.withDescription("lost").asRuntimeException());
      } else {
        answers.onNext(message);
        answers.onCompleted();
      }
    }

    @Override
    public void listDatabases(
        ListDatabasesRequest request, StreamObserver<ListDatabasesResponse> answers) {
      if (!refuse(answers)) {
        ListDatabasesResponse.Builder list = ListDatabasesResponse.newBuilder();
        shared.databases.forEach(
            name -> list.addDatabases(DatabaseInfo.newBuilder().setName(name)));
        answer(answers, list.build());
      }
    }

    @Override
    public void createDatabase(
        CreateDatabaseRequest request, StreamObserver<DatabaseInfo> answers) {
      if (refuse(answers)) {
        return;
      }
      if (!shared.databases.add(request.getName()) && !request.getIgnoreIfExists()) {
        answers.onError(
            StatusMapping.toStatus(
                new SluiceException(ErrorCode.DATABASE_EXISTS, "there is one already")));
        return;
      }
      answer(answers, DatabaseInfo.newBuilder().setName(request.getName()).build());
    }

    @Override
    public void dropTable(DropTableRequest request, StreamObserver<DropTableResponse> answers) {
      if (refuse(answers)) {
        return;
      }
      if (!shared.table) {
        answers.onError(
            StatusMapping.toStatus(new SluiceException(ErrorCode.TABLE_NOT_FOUND, "no table")));
        return;
      }
      shared.table = false;
      answer(answers, DropTableResponse.newBuilder().setDropped(true).build());
    }
  }

  private static Connection connect(Coordinator... coordinators) {
    StringBuilder addresses = new StringBuilder();
    for (Coordinator each : coordinators) {
      addresses.append(addresses.isEmpty() ? "" : ",").append(each.address());
    }
    return Connection.open(
        ClientConfig.of(addresses.toString()).withRequestTimeout(Duration.ofSeconds(20)));
  }

  @Test
  void theLeaderThatAFollowerNamesIsAskedAndStaysTheOneToAsk() throws Exception {
    Shared shared = new Shared();
    Coordinator leader = new Coordinator(shared, true);
    Coordinator follower = new Coordinator(shared, false);
    follower.leader = leader.address();
    // Also one that the client was not told of.
    try (Connection connection = connect(follower)) {
      for (int i = 0; i < 5; i++) {
        connection.admin().createDatabase("d" + i, false);
      }
      assertThat(connection.admin().listDatabases()).hasSize(5);
    }
    assertThat(follower.asked).hasValue(1);
  }

  @Test
  void anElectionIsWaitedFor() throws Exception {
    Shared shared = new Shared();
    Coordinator dead = new Coordinator(shared, true);
    Coordinator heir = new Coordinator(shared, false);
    heir.leader = dead.address();
    Coordinator third = new Coordinator(shared, false);
    try (Connection connection = connect(dead, heir, third)) {
      connection.admin().createDatabase("before", false);
      dead.server.shutdownNow().awaitTermination();
      // It names the dead one until it leads itself.
      heir.leadsAfter = 6;
      connection.admin().createDatabase("after", false);
      assertThat(connection.admin().listDatabases()).containsExactlyInAnyOrder("before", "after");
    }
  }

  @Test
  void aChangeWhoseAnswerWasLostIsNotReportedAsRefusedWithoutSayingSo() throws Exception {
    Shared shared = new Shared();
    Coordinator first = new Coordinator(shared, true);
    Coordinator second = new Coordinator(shared, false);
    second.leadsAfter = 1;
    first.lostAnswers = 1;
    try (Connection connection = connect(first, second)) {
      assertThatThrownBy(() -> connection.admin().createDatabase("demo", false))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.DATABASE_EXISTS);
                assertThat(e.details()).containsEntry("outcome", "unknown");
              })
          .hasMessageContaining("an earlier try of this request");
    }
  }

  @Test
  void changesThatMayBeDoneTwiceSucceedWhenAnAnswerWasLost() throws Exception {
    Shared shared = new Shared();
    Coordinator first = new Coordinator(shared, true);
    Coordinator second = new Coordinator(shared, false);
    second.leadsAfter = 1;
    first.lostAnswers = 1;
    try (Connection connection = connect(first, second)) {
      connection.admin().createDatabase("demo", true);
      assertThat(connection.admin().listDatabases()).containsExactly("demo");
    }
    second.lostAnswers = 1;
    first.leadsAfter = first.asked.get() + 1;
    try (Connection connection = connect(second, first)) {
      assertThat(connection.admin().dropTable(new TablePath("demo", "t"), false)).isTrue();
    }
  }
}
