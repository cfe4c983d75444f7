package io.sluice.coordinator.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an operator does with replicas, over the REST API of a real coordinator. */
class ReplicationRestIT {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir static Path home;
  private static CoordinatorUnderTest coordinator;

  @BeforeAll
  static void start() throws Exception {
    coordinator = CoordinatorUnderTest.start(home);
    List<TabletUnderTest> tablets =
        Stream.of(1, 2, 3)
            .map(id -> new TabletUnderTest(coordinator.internalChannel()).register(id, "i" + id))
            .toList();
    Await.until(
        "the tablets have their images",
        Duration.ofSeconds(20),
        () -> tablets.stream().noneMatch(tablet -> tablet.received().isEmpty()));
    post("/api/v1/databases", "{'name':'demo','comment':''}", 201);
    post(
        "/api/v1/tables",
        "{'database':'demo','table':'t','columns':[{'name':'id','type':'INT'}],"
            + "'options':{'bucket.num':'3','table.replication.factor':'2'}}",
        201);
  }

  @AfterAll
  static void stop() {
    coordinator.close();
  }

  @Test
  void replicasAreShownMovedAndTheMoveGivenUp() throws Exception {
    assertThat(get("/api/v1/replication").get("buckets").asInt()).isEqualTo(3);
    JsonNode bucket = bucket();
    int there = bucket.get("replicas").get(0).asInt();
    int other = 6 - there - bucket.get("replicas").get(1).asInt();
    String path = "/api/v1/tables/demo/t/buckets/0/reassign";
    post(path, "{'replicas':[" + other + "," + there + "]}", 202);
    JsonNode moving = get("/api/v1/replication/buckets?state=moving").get("items").get(0);
    assertThat(moving.get("table").asString()).isEqualTo("t");
    assertThat(moving.get("bucket").get("target").get(0).asInt()).isEqualTo(other);
    assertThat(moving.get("bucket").get("minInsync").asInt()).isEqualTo(2);
    assertThat(coordinator.delete(path).statusCode()).isEqualTo(204);
    assertThat(bucket().get("target")).isEmpty();
    assertThat(post(path, "{'replicas':[1,9]}", 409)).contains("NOT_ENOUGH_SERVERS");
    post("/api/v1/tables/demo/t/buckets/7/reassign", "{'replicas':[1,2]}", 404);
    post(path, "{'replicas':[]}", 400);
    assertThat(coordinator.get("/api/v1/replication/buckets?state=ill").statusCode())
        .isEqualTo(400);
  }

  @Test
  void aBucketThatIsNotThereIsRefusedWithWhatThereIs() throws Exception {
    post(
        "/api/v1/tables",
        "{'database':'demo','table':'p','columns':[{'name':'id','type':'INT'},"
            + "{'name':'dt','type':'STRING'}],'partitionKeys':['dt'],"
            + "'options':{'bucket.num':'2','table.replication.factor':'2'}}",
        201);
    String bucket = "/api/v1/tables/demo/p/buckets/1/reassign";
    String body = "{'replicas':[1,2]}";
    assertThat(post(bucket, body, 404)).contains("is partitioned").contains("no partition");
    post("/api/v1/tables/demo/p/partitions", "{'values':['2024-01-01']}", 201);
    assertThat(post(bucket, body, 404))
        .contains("name the partition of bucket 1 by its id (partitionId, --partition-id)")
        .contains("(2024-01-01)");
    assertThat(post(bucket + "?partitionId=99", body, 404)).contains("no partition with id 99");
    assertThat(post("/api/v1/tables/demo/t/buckets/0/reassign?partitionId=99", body, 404))
        .contains("is not partitioned: leave out the partition id");
    assertThat(post("/api/v1/tables/demo/t/buckets/7/reassign", body, 404))
        .contains("its buckets are 0 to 2");
  }

  @Test
  void aFieldThatIsNotKnownIsNamedWithThoseThatAre() throws Exception {
    assertThat(post("/api/v1/tables/demo/t/buckets/0/reassign", "{'replica':[1]}", 400))
        .contains("unknown field 'replica'")
        .contains("replicas")
        .doesNotContain("class ");
    assertThat(
            post(
                "/api/v1/coordinators/change",
                "{'joining':{'id':'4','host':'h','raftPort':1,'grpcPort':2,'restPort':3}}",
                400))
        .contains("unknown field 'restPort' in joining")
        .contains("there may be grpcPort, host, httpPort, id, raftPort");
    assertThat(post("/api/v1/coordinators/change", "{'joining':{'id':'4','host':'h'}}", 400))
        .contains("Port is missing; it must be a whole number");
    assertThat(post("/api/v1/tables/demo/t/buckets/1/elect-unclean", "{'serverId':1}", 400))
        .contains("acceptDataLoss is missing; it must be true or false");
  }

  @Test
  void aServerIsDrainedTakenBackAndNotSentAwayWithReplicas() throws Exception {
    assertThat(get("/api/v1/rebalance/plan").get("steps")).isNotNull();
    assertThat(post("/api/v1/servers/3/decommission", "", 400)).contains("drain it first");
    assertThat(get("/api/v1/rebalance").get("leadsSinceMs").asLong()).isPositive();
    for (String wanted : List.of("drain", "activate", "decommission")) {
      assertThat(post("/api/v1/servers/9/" + wanted, "", 404)).contains("registered are [1, 2, 3]");
    }
    post("/api/v1/servers/3/drain", "", 202);
    assertThat(get("/api/v1/servers/3").get("state").asString()).isEqualTo("DRAINING");
    assertThat(get("/api/v1/rebalance").get("state").asString()).isEqualTo("RUNNING");
    assertThat(post("/api/v1/rebalance", "", 400)).contains("A rebalance is under way");
    assertThat(coordinator.delete("/api/v1/rebalance").statusCode()).isEqualTo(200);
    assertThat(coordinator.delete("/api/v1/rebalance").statusCode()).isEqualTo(404);
    post("/api/v1/servers/3/activate", "", 204);
    assertThat(get("/api/v1/servers/3").get("state").asString()).isEqualTo("ACTIVE");
  }

  @Test
  void anUncleanElectionMustBeMeantAndNeeded() throws Exception {
    String path = "/api/v1/tables/demo/t/buckets/1/elect-unclean";
    assertThat(post(path, "{'serverId':1,'acceptDataLoss':false}", 400)).contains("acceptDataLoss");
    assertThat(post(path, "{'serverId':1,'acceptDataLoss':true}", 400))
        .contains("needs no unclean election");
    assertThat(post("/api/v1/elections/preferred", "", 200)).contains("buckets");
  }

  private static JsonNode bucket() throws Exception {
    return get("/api/v1/tables/demo/t").get("buckets").get(0);
  }

  private static JsonNode get(String path) throws Exception {
    HttpResponse<String> response = coordinator.get(path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body());
  }

  private static String post(String path, String body, int status) throws Exception {
    HttpResponse<String> response = coordinator.post(path, body.replace('\'', '"'));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    return response.body();
  }
}
