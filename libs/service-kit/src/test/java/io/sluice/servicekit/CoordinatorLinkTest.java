package io.sluice.servicekit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TimeSource;
import io.sluice.protocol.error.StatusMapping;
import io.sluice.protocol.metadata.v1.GetTableRequest;
import io.sluice.protocol.metadata.v1.MetadataServiceGrpc;
import io.sluice.protocol.metadata.v1.TableInfo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoordinatorLinkTest {
  private static final ClientInterceptor NO_TOKEN =
      new ClientInterceptor() {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
          return next.newCall(method, options);
        }
      };

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private String coordinator(Supplier<TableInfo> table) throws IOException {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(
                new MetadataServiceGrpc.MetadataServiceImplBase() {
                  @Override
                  public void getTable(GetTableRequest request, StreamObserver<TableInfo> answers) {
                    TableInfo answer;
                    try {
                      answer = table.get();
                    } catch (SluiceException e) {
                      answers.onError(StatusMapping.toStatus(e));
                      return;
                    }
                    answers.onNext(answer);
                    answers.onCompleted();
                  }
                })
            .build()
            .start();
    open.add(server::shutdownNow);
    return "127.0.0.1:" + server.getPort();
  }

  private CoordinatorLink link(String... coordinators) {
    CoordinatorLink link =
        new CoordinatorLink(
            List.of(coordinators), NO_TOKEN, TimeSource.SYSTEM, Duration.ofSeconds(20));
    open.add(link);
    return link;
  }

  private static TableInfo ask(Channel channel) {
    return MetadataServiceGrpc.newBlockingStub(channel)
        .getTable(GetTableRequest.getDefaultInstance());
  }

  private static TableInfo table(String name) {
    return TableInfo.newBuilder().setTable(name).build();
  }

  @Test
  void followsTheLeaderThatIsNamed() throws IOException {
    String leader = coordinator(() -> table("led"));
    AtomicInteger asked = new AtomicInteger();
    String follower =
        coordinator(
            () -> {
              asked.incrementAndGet();
              throw new SluiceException(
                  ErrorCode.NOT_COORDINATOR_LEADER, "not me", Map.of("leader", leader), null);
            });
    CoordinatorLink link = link(follower);
    assertThat(link.read(CoordinatorLinkTest::ask).getTable()).isEqualTo("led");
    assertThat(link.read(CoordinatorLinkTest::ask).getTable()).isEqualTo("led");
    assertThat(asked).hasValue(1);
    assertThat(link.target().address()).isEqualTo(leader);
  }

  @Test
  void asksAnotherOneWhenOneIsAway() throws IOException {
    String alive = coordinator(() -> table("alive"));
    CoordinatorLink link = link("127.0.0.1:1", alive);
    assertThat(link.read(CoordinatorLinkTest::ask).getTable()).isEqualTo("alive");
  }

  @Test
  void waitsForTheEndOfAnElection() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    String heir =
        coordinator(
            () -> {
              if (asked.incrementAndGet() < 12) {
                throw new SluiceException(ErrorCode.NOT_COORDINATOR_LEADER, "nobody leads yet");
              }
              return table("elected");
            });
    CoordinatorLink link = link("127.0.0.1:1", heir);
    assertThat(link.read(CoordinatorLinkTest::ask).getTable()).isEqualTo("elected");
  }

  @Test
  void aLoneCoordinatorThatIsAwayIsNotWaitedFor() {
    CoordinatorLink link = link("127.0.0.1:1");
    assertCode(() -> link.read(CoordinatorLinkTest::ask), ErrorCode.UNAVAILABLE);
  }

  @Test
  void answersOfTheLeaderPassThrough() throws IOException {
    String leader =
        coordinator(
            () -> {
              throw new SluiceException(ErrorCode.TABLE_NOT_FOUND, "no such table");
            });
    CoordinatorLink link = link(leader, "127.0.0.1:1");
    assertCode(() -> link.read(CoordinatorLinkTest::ask), ErrorCode.TABLE_NOT_FOUND);
    assertThat(link.target().address()).isEqualTo(leader);
  }

  @Test
  void refusesMalformedAddressesAndCallsAfterItsEnd() {
    assertCode(() -> link("nowhere"), ErrorCode.INVALID_ARGUMENT);
    assertCode(() -> link(), ErrorCode.INVALID_ARGUMENT);
    CoordinatorLink link = link("127.0.0.1:1");
    link.close();
    assertCode(() -> link.read(CoordinatorLinkTest::ask), ErrorCode.UNAVAILABLE);
  }

  private static void assertCode(Runnable call, ErrorCode code) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
