package io.sluice.coordinator.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The REST API of a real coordinator. */
class CoordinatorRestIT {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir static Path home;
  private static CoordinatorUnderTest coordinator;

  @BeforeAll
  static void start() throws Exception {
    coordinator = CoordinatorUnderTest.start(home);
    TabletUnderTest tablet =
        new TabletUnderTest(coordinator.internalChannel()).register(1, "first");
    Await.until(
        "the tablet has its image", Duration.ofSeconds(20), () -> !tablet.received().isEmpty());
    assertThat(post("/api/v1/databases", "{'name':'demo','comment':'c'}").statusCode())
        .isEqualTo(201);
  }

  @AfterAll
  static void stop() {
    coordinator.close();
  }

  @Test
  void aTableIsCreatedFoundListedAndDropped() throws Exception {
    HttpResponse<String> created =
        post(
            "/api/v1/tables",
            "{'database':'demo','table':'t','columns':[{'name':'id','type':'BIGINT','nullable':false},"
                + "{'name':'price','type':'DECIMAL(10,2)'}],'options':{'bucket.num':'2'}}");
    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(created.headers().firstValue("Location")).hasValue("/api/v1/tables/demo/t");
    JsonNode table = json(coordinator.get("/api/v1/tables/demo/t"));
    assertThat(table.get("kind").asString()).isEqualTo("log");
    assertThat(table.get("columns").get(0).get("nullable").asBoolean()).isFalse();
    assertThat(table.get("columns").get(1).get("type").asString()).isEqualTo("DECIMAL(10,2)");
    assertThat(table.get("buckets")).hasSize(2);
    assertThat(table.get("buckets").get(0).get("leaderAddress").asString())
        .isEqualTo("127.0.0.1:9223");
    assertThat(json(coordinator.get("/api/v1/tables?database=demo&nameContains=t")).get("total"))
        .isNotNull();
    JsonNode server = json(coordinator.get("/api/v1/servers?alive=true")).get("items").get(0);
    assertThat(server.get("replicaCount").asInt()).isPositive();
    assertThat(coordinator.delete("/api/v1/tables/demo/t").statusCode()).isEqualTo(204);
    assertThat(coordinator.get("/api/v1/tables/demo/t").statusCode()).isEqualTo(404);
  }

  @Test
  void aTableIsAlteredInOneRequest() throws Exception {
    post(
        "/api/v1/tables",
        "{'database':'demo','table':'alter','columns':[{'name':'id','type':'BIGINT'},"
            + "{'name':'n','type':'INT'}]}");
    HttpResponse<String> altered =
        post(
            "/api/v1/tables/demo/alter/alter",
            "{'changes':[{'addColumn':{'column':{'name':'r','type':'ROW<a INT, b STRING>'},"
                + "'position':{'first':true}}},{'changeType':{'path':['n'],'newType':'BIGINT'}},"
                + "{'addColumn':{'parent':['r'],'column':{'name':'c','type':'DATE'}}},"
                + "{'setDefault':{'path':['n'],'value':'5'}},"
                + "{'setOption':{'key':'table.log.ttl','value':'1 d'}},{'tableComment':'better'}]}");
    assertThat(altered.statusCode()).as(altered.body()).isEqualTo(200);
    JsonNode table = json(altered);
    assertThat(table.get("schemaId").asInt()).isEqualTo(2);
    assertThat(table.get("version").asInt()).isEqualTo(1);
    assertThat(table.get("comment").asString()).isEqualTo("better");
    assertThat(table.get("options").get("table.log.ttl").asString()).isEqualTo("1 d");
    JsonNode row = table.get("columns").get(0);
    assertThat(row.get("type").asString()).isEqualTo("ROW<`a` INT, `b` STRING, `c` DATE>");
    assertThat(row.get("fieldIds")).hasSize(3);
    JsonNode n = table.get("columns").get(2);
    assertThat(n.get("type").asString()).isEqualTo("BIGINT");
    assertThat(n.get("writeDefault").asString()).isEqualTo("5");
    assertThat(n.get("initialDefault")).isNull();
  }

  @Test
  void aTableShowsWhatBecomesOfItsRows() throws Exception {
    HttpResponse<String> created =
        post(
            "/api/v1/tables",
            "{'database':'demo','table':'sums','columns':[{'name':'k','type':'INT','nullable':false},"
                + "{'name':'n','type':'BIGINT'},{'name':'s','type':'STRING'},{'name':'l','type':'INT'}],"
                + "'primaryKey':['k'],'options':{'table.merge-engine':'AGGREGATION',"
                + "'fields.n.agg':'SUM','fields.s.agg':'string_agg','fields.s.agg.delimiter':';'}}");
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(json(created).get("rules"))
        .isEqualTo(
            JSON.readTree(
                ("{'mergeEngine':'aggregation','functions':["
                        + "{'column':'n','function':'sum','onOverflow':'refuse'},"
                        + "{'column':'s','function':'listagg','delimiter':';'},"
                        + "{'column':'l','function':'last_value_ignore_nulls'}],"
                        + "'deleteBehavior':'ignore','changelogImage':'full'}")
                    .replace('\'', '"')));
    post(
        "/api/v1/tables",
        "{'database':'demo','table':'ids','columns':[{'name':'k','type':'INT','nullable':false},"
            + "{'name':'uid','type':'INT'}],'primaryKey':['k'],"
            + "'options':{'auto-increment.fields':'uid'}}");
    JsonNode rules = json(coordinator.get("/api/v1/tables/demo/ids")).get("rules");
    assertThat(rules.get("mergeEngine").asString()).isEqualTo("last_row");
    assertThat(rules.get("autoIncrementColumn").asString()).isEqualTo("uid");
    assertThat(rules.get("nextId").asLong()).isEqualTo(1);
    assertThat(rules.get("functions")).isEmpty();
    post(
        "/api/v1/tables",
        "{'database':'demo','table':'log','columns':[{'name':'k','type':'INT'}]}");
    assertThat(json(coordinator.get("/api/v1/tables/demo/log")).get("rules")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'changes':[]}|400|INVALID_ALTER|names no change",
        "{'changes':[{}]}|400|INVALID_ALTER|empty or unknown",
        "{'changes':[{'dropColumn':{}}]}|400|INVALID_ALTER|its path is empty",
        "{'changes':[{'dropColumn':{'path':['nope']}}]}|400|INVALID_ALTER|nope",
        "{'changes':[{'drop':{'path':['id']}}]}|400|INVALID_ARGUMENT|drop",
        "{'changes':[{'addColumn':{'column':{'name':'x','type':'INTT'}}}]}|400|INVALID_SCHEMA|Column 'x'",
        "{'changes':[{'setOption':{'key':'bucket.num','value':'2'}}]}|400|INVALID_ALTER|fixed when",
        "{'tableId':'999','changes':[{'tableComment':'x'}]}|409|TABLE_CHANGED|created again",
        "{'changes'|400|INVALID_ARGUMENT|cannot be parsed",
        "[1]|400|INVALID_ARGUMENT|cannot be parsed",
      })
  void badAlterationsAreProblems(String body, int status, String code, String detail)
      throws Exception {
    post(
        "/api/v1/tables",
        "{'database':'demo','table':'keep','columns':[{'name':'id','type':'BIGINT'}],'ignoreIfExists':true}");
    assertProblem(post("/api/v1/tables/demo/keep/alter", body), status, code, detail);
  }

  @Test
  void partitionsAreCreatedListedAndDropped() throws Exception {
    assertThat(
            post(
                    "/api/v1/tables",
                    "{'database':'demo','table':'parts','columns':[{'name':'id','type':'BIGINT'},"
                        + "{'name':'dt','type':'STRING'}],'partitionKeys':['dt'],"
                        + "'options':{'bucket.num':'2'}}")
                .statusCode())
        .isEqualTo(201);
    String path = "/api/v1/tables/demo/parts/partitions";
    HttpResponse<String> created = post(path, "{'values':['a/b']}");
    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(json(created).get("name").asString()).isEqualTo("dt=a%2Fb");
    assertThat(post(path, "{'name':'dt=c'}").statusCode()).isEqualTo(201);
    assertThat(post(path, "{'name':'dt=c','ignoreIfExists':true}").statusCode()).isEqualTo(201);
    assertProblem(post(path, "{'name':'dt=c'}"), 409, "PARTITION_EXISTS", "dt=c");
    assertProblem(post(path, "{'name':'x=c'}"), 400, "INVALID_PARTITION", "dt=<value>");
    assertProblem(post(path, "{}"), 400, "INVALID_ARGUMENT", "either the values or the name");
    JsonNode page = json(coordinator.get(path + "?limit=1&offset=1"));
    assertThat(page.get("total").asInt()).isEqualTo(2);
    assertThat(page.get("items").get(0).get("values").get(0).asString()).isEqualTo("c");
    JsonNode table = json(coordinator.get("/api/v1/tables/demo/parts"));
    assertThat(table.get("buckets")).hasSize(4);
    assertThat(table.get("partitionCount").asInt()).isEqualTo(2);
    assertThat(table.get("buckets").get(3).get("partitionId").asLong()).isPositive();
    JsonNode schemas = json(coordinator.get("/v3/api-docs")).get("components").get("schemas");
    assertFields(schemas, "Partition", page.get("items").get(0));
    assertFields(schemas, "PartitionPage", page);
    assertThat(coordinator.get("/actuator/prometheus").body())
        .contains("sluice_coordinator_partitions 2.0", "sluice_coordinator_auto_partition_drops");
    assertThat(coordinator.delete(path + "?name=dt%3Da%252Fb").statusCode()).isEqualTo(204);
    assertProblem(
        coordinator.delete(path + "?name=dt%3Da%252Fb"), 404, "PARTITION_NOT_FOUND", "dt=a%2Fb");
    assertProblem(coordinator.delete(path), 400, "INVALID_ARGUMENT", "name");
  }

  @Test
  void listsArePagedAndFiltered() throws Exception {
    for (String name : new String[] {"page-a", "page-b", "page-c"}) {
      assertThat(post("/api/v1/databases", "{'name':'" + name + "'}").statusCode()).isEqualTo(201);
    }
    JsonNode page = json(coordinator.get("/api/v1/databases?nameContains=page-&offset=1&limit=1"));
    assertThat(page.get("total").asInt()).isEqualTo(3);
    assertThat(page.get("items")).hasSize(1);
    assertThat(page.get("items").get(0).get("name").asString()).isEqualTo("page-b");
  }

  @Test
  void entityTagsAnswerNotModifiedUntilSomethingChanges() throws Exception {
    HttpResponse<String> first = coordinator.get("/api/v1/databases/demo");
    String tag = first.headers().firstValue("ETag").orElseThrow();
    assertThat(coordinator.get("/api/v1/databases/demo", "If-None-Match", tag).statusCode())
        .isEqualTo(304);
    post("/api/v1/databases", "{'name':'etag'}");
    assertThat(coordinator.get("/api/v1/databases/demo", "If-None-Match", tag).statusCode())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'database':'demo','table':'x','columns':[{'name':'a','type':'INT'}],'options':{'bucket.num':'0'}}|400|INVALID_OPTION|bucket.num is 0; it must be between 1 and 4096",
        "{'database':'demo','table':'x','columns':[{'name':'a','type':'INT'}],'options':{'bucket.num':'5000'}}|400|INVALID_OPTION|bucket.num is 5000",
        "{'database':'demo','table':'x','columns':[{'name':'a','type':'INT'}],'options':{'bucket.numm':'1'}}|400|INVALID_OPTION|did you mean bucket.num?",
        "{'database':'demo','table':'x','columns':[{'name':'a','type':'INT'}],'primaryKey':['b']}|404|COLUMN_NOT_FOUND|Column 'b' does not exist",
        "{'database':'demo','table':'x','columns':[{'name':'a','type':'INT'}],'primaryKey':['a']}|400|INVALID_SCHEMA|Primary key column 'a' is nullable; declare it NOT NULL",
        "{'database':'demo','table':'x','columns':[{'name':'a','type':'INT','nullable':false}],'primaryKey':['a'],'options':{'table.merge-engine':'last'}}|400|INVALID_OPTION|it must be first_row, versioned or aggregation",
        "{'database':'nope','table':'x','columns':[{'name':'a','type':'INT'}]}|404|DATABASE_NOT_FOUND|Database nope does not exist",
        "{'database':'demo','table':'x','columns':[{'name':'_offset','type':'INT'}]}|400|INVALID_NAME|reserved",
        "{'database':'demo','table':'x','columns':[]}|400|INVALID_SCHEMA|A table has 0 columns",
        "{'database':'demo','table':'x'}|400|INVALID_ARGUMENT|columns is missing",
        "{'database':'demo','table':'x','columns':[{'name':'a'}]}|400|INVALID_ARGUMENT|columns[0].type is missing",
        "{'database':'demo','tabel':'x','columns':[]}|400|INVALID_ARGUMENT|tabel",
        "{'database':'demo','table':7,'columns':'no'}|400|INVALID_ARGUMENT|Cannot read the request body",
        "{'database'|400|INVALID_ARGUMENT|Cannot read the request body",
        "~ ~|400|INVALID_ARGUMENT|Cannot read the request body",
      })
  void badCreationsAreProblems(String body, int status, String code, String detail)
      throws Exception {
    assertProblem(post("/api/v1/tables", body), status, code, detail);
  }

  /** bounded: a body of any size takes no more memory than the limit. */
  @Test
  void bodiesAboveTheLimitAreRefusedUnread() throws Exception {
    String body = "{'name':'" + "n".repeat(5 << 20) + "'}";
    assertProblem(post("/api/v1/databases", body), 413, "INVALID_ARGUMENT", "at most 4194304");
    byte[] bytes = body.replace('\'', '"').getBytes(java.nio.charset.StandardCharsets.UTF_8);
    assertProblem(
        coordinator.postChunked("/api/v1/databases", bytes),
        413,
        "INVALID_ARGUMENT",
        "more than 4194304");
  }

  @Test
  void aQueryThatIsNoTextIsAProblem() throws Exception {
    assertProblem(
        coordinator.get("/api/v1/tables?offset=%00%ff"), 400, "INVALID_ARGUMENT", "UTF-8");
  }

  @Test
  void badPathsMethodsAndParametersAreProblems() throws Exception {
    assertProblem(coordinator.get("/api/v1/nothing"), 404, "NOT_FOUND", "/v3/api-docs");
    assertProblem(
        coordinator.get("/api/v1/tables/demo/nope"),
        404,
        "TABLE_NOT_FOUND",
        "Table demo.nope does not exist");
    assertProblem(coordinator.put("/api/v1/tables", "{}"), 405, "INVALID_ARGUMENT", "PUT");
    assertProblem(
        coordinator.get("/api/v1/tables?limit=0"),
        400,
        "INVALID_ARGUMENT",
        "limit is 0; it must be between 1 and 1000");
    assertProblem(
        coordinator.get("/api/v1/tables?limit=many"), 400, "INVALID_ARGUMENT", "limit is 'many'");
    assertProblem(
        coordinator.get("/api/v1/tables?database=none"), 404, "DATABASE_NOT_FOUND", "none");
    assertProblem(
        coordinator.get("/api/v1/servers/99"), 404, "NOT_FOUND", "no tablet server with id 99");
    assertThat(coordinator.put("/api/v1/tables", "{}").headers().firstValue("Allow")).isPresent();
  }

  @Test
  void healthAndMetricsAreExposed() throws Exception {
    assertThat(coordinator.get("/actuator/health/liveness").statusCode()).isEqualTo(200);
    JsonNode readiness = json(coordinator.get("/actuator/health/readiness"));
    assertThat(readiness.at("/components/sluice/details/metadata").asString()).isEqualTo("ok");
    String metrics = coordinator.get("/actuator/prometheus").body();
    assertThat(metrics)
        .contains("sluice_coordinator_raft_index", "sluice_coordinator_buckets_offline 0.0");
    assertThat(metrics).contains("sluice_coordinator_servers_live 1.0");
  }

  @Test
  void theOpenApiDocumentNamesExactlyTheRealRoutes() throws Exception {
    Set<String> documented = new TreeSet<>();
    JsonNode document = json(coordinator.get("/v3/api-docs"));
    document
        .get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .propertyNames()
                    .forEach(
                        method ->
                            documented.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    Set<String> real = new TreeSet<>();
    coordinator
        .bean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
        .getHandlerMethods()
        .forEach(
            (info, method) ->
                info.getPatternValues().stream()
                    .filter(pattern -> pattern.startsWith("/api/"))
                    .forEach(
                        pattern ->
                            info.getMethodsCondition()
                                .getMethods()
                                .forEach(verb -> real.add(verb + " " + pattern))));
    assertThat(documented).isEqualTo(real);
  }

  @Test
  void theCoordinatorsAreShownAndSenselessChangesOfThemRefused() throws Exception {
    JsonNode group = json(coordinator.get("/api/v1/coordinators"));
    assertThat(group.get("self").asString()).isEqualTo("1");
    assertThat(group.get("role").asString()).isEqualTo("LEADER");
    assertThat(group.get("members").get(0).get("leads").asBoolean()).isTrue();
    String change = "/api/v1/coordinators/change";
    assertProblem(post(change, "{}"), 400, "INVALID_ARGUMENT", "name one or both");
    assertProblem(post(change, "{'leaving':'1'}"), 400, "INVALID_ARGUMENT", "is the only member");
    assertProblem(
        post(change, "{'joining':{'id':'2','host':'a b','raftPort':1,'grpcPort':2}}"),
        400,
        "INVALID_ARGUMENT",
        "joining.host must be a host name");
    assertProblem(
        post(change, "{'joining':{'id':'2','host':'h','raftPort':0,'grpcPort':2}}"),
        400,
        "INVALID_ARGUMENT",
        "joining.raftPort");
  }

  @Test
  void answersHaveExactlyTheDocumentedFields() throws Exception {
    post(
        "/api/v1/tables",
        "{'database':'demo','table':'doc','columns':[{'name':'id','type':'BIGINT','writeDefault':'7'},"
            + "{'name':'k','type':'INT','nullable':false},{'name':'uid','type':'INT'}],"
            + "'primaryKey':['k'],'options':{'table.merge-engine':'versioned',"
            + "'table.merge-engine.versioned.ver-column':'id','auto-increment.fields':'uid',"
            + "'table.kv.ttl':'1 h'},'ignoreIfExists':true}");
    JsonNode schemas = json(coordinator.get("/v3/api-docs")).get("components").get("schemas");
    JsonNode table = json(coordinator.get("/api/v1/tables/demo/doc"));
    assertFields(schemas, "Table", table);
    assertFields(schemas, "Column", table.get("columns").get(0));
    assertFields(schemas, "Rules", table.get("rules"));
    assertFields(schemas, "Bucket", table.get("buckets").get(0));
    assertFields(
        schemas, "TableSummary", json(coordinator.get("/api/v1/tables")).get("items").get(0));
    assertFields(schemas, "Server", json(coordinator.get("/api/v1/servers/1")));
    assertFields(schemas, "Database", json(coordinator.get("/api/v1/databases/demo")));
    assertFields(schemas, "DatabasePage", json(coordinator.get("/api/v1/databases")));
    JsonNode group = json(coordinator.get("/api/v1/coordinators"));
    assertFields(schemas, "CoordinatorGroup", group);
    assertFields(schemas, "Coordinator", group.get("members").get(0));
  }

  private static void assertFields(JsonNode schemas, String schema, JsonNode answer) {
    assertThat(new TreeSet<>(answer.propertyNames()))
        .as(schema)
        .isEqualTo(new TreeSet<>(schemas.get(schema).get("properties").propertyNames()));
  }

  private static void assertProblem(
      HttpResponse<String> answer, int status, String code, String detail) {
    assertThat(answer.body()).contains("\"code\":\"" + code + "\"");
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    JsonNode problem = json(answer);
    assertThat(problem.get("type").asString()).isEqualTo("urn:sluice:error:" + code);
    assertThat(problem.get("detail").asString()).contains(detail);
    assertThat(problem.get("retriable").asBoolean()).isFalse();
  }

  private static HttpResponse<String> post(String path, String body) throws Exception {
    return coordinator.post(path, body.replace('\'', '"'));
  }

  private static JsonNode json(HttpResponse<String> answer) {
    return JSON.readTree(answer.body());
  }
}
