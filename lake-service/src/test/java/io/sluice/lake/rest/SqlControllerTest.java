package io.sluice.lake.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.sluice.client.TableSpec;
import io.sluice.lake.duck.DuckSettings;
import io.sluice.lake.sql.SqlGateway;
import io.sluice.lake.sql.SqlLimits;
import io.sluice.lake.sql.SqlObserver;
import io.sluice.lake.sqlfakes.FakeCluster;
import io.sluice.lake.sqlfakes.FakeLake;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import tools.jackson.databind.json.JsonMapper;

final class SqlControllerTest {
  @TempDir Path directory;
  private FakeCluster cluster;
  private SqlGateway gateway;
  private MockMvc http;

  @BeforeEach
  void open() {
    cluster = new FakeCluster();
    gateway =
        SqlGateway.open(
            new SqlLimits(2, Duration.ofMinutes(1), 100),
            new DuckSettings(64 << 20, 1, directory.resolve("spill"), 1 << 20),
            cluster,
            new FakeLake(directory, cluster.calls()),
            SqlObserver.NONE);
    http = MockMvcBuilders.standaloneSetup(new SqlController(gateway)).build();
  }

  @AfterEach
  void close() {
    gateway.close();
    cluster.close();
  }

  private ResultActions send(String body, MediaType accept) throws Exception {
    return http.perform(
        post("/api/v1/sql").contentType(MediaType.APPLICATION_JSON).content(body).accept(accept));
  }

  private ResultActions sql(String sql) throws Exception {
    String body = "{\"sql\": " + JsonMapper.shared().writeValueAsString(sql) + "}";
    return send(body, MediaType.APPLICATION_JSON);
  }

  @Test
  void rowsAreJson() throws Exception {
    sql("SELECT 9007199254740993 AS big, CAST(1.50 AS DECIMAL(5,2)) AS d, NULL AS n, 'ä' AS s, [1]")
        .andExpect(status().isOk())
        .andExpect(content().contentType(MediaType.APPLICATION_JSON))
        .andExpect(jsonPath("$.kind").value("rows"))
        .andExpect(jsonPath("$.message").value("1 row"))
        .andExpect(jsonPath("$.columns[0].name").value("big"))
        .andExpect(jsonPath("$.columns[0].type").value("BIGINT"))
        .andExpect(jsonPath("$.columns[1].type").value("DECIMAL(5,2)"))
        .andExpect(jsonPath("$.rowCount").value(1))
        .andExpect(jsonPath("$.truncated").value(false))
        .andExpect(jsonPath("$.notices").isEmpty())
        .andExpect(jsonPath("$.elapsedMs").isNumber())
        .andExpect(
            result ->
                assertThat(result.getResponse().getContentAsString())
                    .contains("\"rows\":[[9007199254740993,\"1.50\",null,\"ä\",[1]]]"));
  }

  @Test
  void whatIsDoneHasAMessage() throws Exception {
    sql("CREATE DATABASE shop")
        .andExpect(jsonPath("$.kind").value("done"))
        .andExpect(jsonPath("$.message").value("Database shop created"))
        .andExpect(jsonPath("$.columns").isEmpty())
        .andExpect(jsonPath("$.rows").isEmpty());
  }

  @Test
  void databaseAndRowLimitAreFields() throws Exception {
    cluster.create(TableSpec.of("demo.t").column("a", "INT").build()).append(0, 1);
    cluster.table("demo.t").append(0, 2);
    send(
            "{\"sql\":\"SELECT a FROM t\",\"database\":\"demo\",\"maxRows\":1,"
                + "\"allow_partial\":true}",
            MediaType.APPLICATION_JSON)
        .andExpect(jsonPath("$.rowCount").value(1))
        .andExpect(jsonPath("$.truncated").value(true));
  }

  @Test
  void rowsAreCsv() throws Exception {
    String body =
        "{\"sql\":\"SELECT * FROM (VALUES (1, 'a,\\\"b\\\"', NULL), (2, '', '#')) t(x, `y z`, w)"
            + " ORDER BY x\"}";
    send(body, new MediaType("text", "csv"))
        .andExpect(status().isOk())
        .andExpect(header().string("Content-Type", "text/csv;charset=UTF-8"))
        .andExpect(header().string("Sluice-Truncated", "false"))
        .andExpect(content().string("x,\"y z\",w\r\n1,\"a,\"\"b\"\"\",\r\n2,\"\",#\r\n"));
    send("{\"sql\":\"CREATE DATABASE x\"}", new MediaType("text", "csv"))
        .andExpect(content().string("message\r\n\"Database x created\"\r\n"));
  }

  @Test
  void failuresAreProblemsWithTheirPlace() throws Exception {
    sql("SELECT nope")
        .andExpect(status().isNotFound())
        .andExpect(content().contentType(MediaType.APPLICATION_PROBLEM_JSON))
        .andExpect(jsonPath("$.status").value(404))
        .andExpect(jsonPath("$.code").value("COLUMN_NOT_FOUND"))
        .andExpect(jsonPath("$.line").value(1))
        .andExpect(jsonPath("$.column").value(8));
    sql("COPY x TO 'y'").andExpect(status().isForbidden());
    sql("SELECT 1 +").andExpect(status().isBadRequest());
    send("{\"sql\":\"SELECT nope\"}", new MediaType("text", "csv"))
        .andExpect(status().isNotFound())
        .andExpect(content().contentType(MediaType.APPLICATION_PROBLEM_JSON));
  }

  @Test
  void emptyStatementIsRefusedBeforeItIsRun() throws Exception {
    send("{\"sql\":\" \"}", MediaType.APPLICATION_JSON).andExpect(status().isBadRequest());
    send("{}", MediaType.APPLICATION_JSON).andExpect(status().isBadRequest());
  }
}
