package io.sluice.coordinator.app;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.TimeSource;
import io.sluice.protocol.security.ClusterSecret;
import io.sluice.protocol.security.ClusterTokenClientInterceptor;
import io.sluice.servicekit.ServerPorts;
import io.sluice.testkit.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The real coordinator on free ports. */
public final class CoordinatorUnderTest implements AutoCloseable {
  private final ConfigurableApplicationContext context;
  private final ServerPorts ports;
  private final ClusterSecret secret;
  private final HttpClient http = HttpClient.newHttpClient();
  private final ManagedChannel channel;

  private CoordinatorUnderTest(Path home, String... more) {
    Path secretFile = home.resolve("cluster.secret");
    secret = ClusterSecret.readOrCreate(secretFile);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--spring.grpc.server.port=0",
                "--server.port=0",
                "--sluice.home=" + home,
                "--sluice.cluster.secret-file=" + secretFile,
                // A machine that has much to do must not end the sessions of tablets without
                // heartbeats.
                "--sluice.coordinator.session-timeout=10m",
                "--logging.level.root=WARN"));
    arguments.addAll(List.of(more));
    context = SpringApplication.run(CoordinatorApplication.class, arguments.toArray(String[]::new));
    ports = context.getBean(ServerPorts.class);
    channel = NettyChannelBuilder.forAddress("127.0.0.1", ports.grpc()).usePlaintext().build();
  }

  /** Starts one and waits until it is ready. */
  public static CoordinatorUnderTest start(Path home) {
    CoordinatorUnderTest coordinator = new CoordinatorUnderTest(home);
    coordinator.awaitReady();
    return coordinator;
  }

  /** Starts one with more arguments, which need not become ready. */
  static CoordinatorUnderTest startWith(Path home, String... more) {
    return new CoordinatorUnderTest(home, more);
  }

  /** Whether it says that it takes requests. */
  boolean isReady() throws Exception {
    return get("/actuator/health/readiness").statusCode() == 200;
  }

  void awaitReady() {
    Await.until("the coordinator is ready", Duration.ofSeconds(60), this::isReady);
  }

  /** A channel as any client has it. */
  public Channel channel() {
    return channel;
  }

  /** A channel as a server of the cluster has it. */
  public Channel internalChannel() {
    return ClientInterceptors.intercept(
        channel, new ClusterTokenClientInterceptor(secret, TimeSource.SYSTEM));
  }

  /** A bean of the running service. */
  public <T> T bean(String name, Class<T> type) {
    return context.getBean(name, type);
  }

  public HttpResponse<String> get(String path, String... headers) throws Exception {
    return send(request(path, headers).GET());
  }

  public HttpResponse<String> delete(String path) throws Exception {
    return send(request(path).DELETE());
  }

  public HttpResponse<String> put(String path, String body) throws Exception {
    return send(request(path).PUT(HttpRequest.BodyPublishers.ofString(body)));
  }

  public HttpResponse<String> post(String path, String body) throws Exception {
    return send(
        request(path, "Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** A body without a Content-Length. */
  public HttpResponse<String> postChunked(String path, byte[] body) throws Exception {
    return send(
        request(path, "Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))));
  }

  private HttpRequest.Builder request(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.http() + path))
            .timeout(Duration.ofSeconds(30));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return request;
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() {
    channel.shutdownNow();
    try {
      channel.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    context.close();
  }
}
