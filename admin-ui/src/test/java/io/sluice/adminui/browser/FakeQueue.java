package io.sluice.adminui.browser;

import com.sun.net.httpserver.HttpExchange;
import io.sluice.adminui.app.FakeService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/** A coordinator whose tiering queue a test fills and changes. */
final class FakeQueue {
  private static final long FRESHNESS_MS = 10_000;

  private final FakeService service;
  private final Map<String, Map<String, Object>> tables = new TreeMap<>();

  FakeQueue(FakeService service) {
    this.service = service;
    service.on("GET /api/v1/tiering", exchange -> answer(exchange, summary()));
    service.on("GET /api/v1/tiering/tables", exchange -> answer(exchange, page(all())));
    service.on(
        "GET /api/v1/tiering/workers", exchange -> answer(exchange, page(List.of(worker()))));
    service.on("GET /api/v1/tables", exchange -> answer(exchange, page(List.of())));
    service.on("GET /api/v1/servers", exchange -> answer(exchange, page(List.of())));
  }

  /** Puts a table that is waiting and on time into the queue, or back to that. */
  void waiting(String table) {
    change(table, Map.of());
  }

  /** Sets what differs from a table that is waiting and on time. */
  synchronized void change(String table, Map<String, Object> changes) {
    Map<String, Object> item = new LinkedHashMap<>();
    long nowMs = System.currentTimeMillis();
    item.put("tableId", 1L + Math.abs(table.hashCode()));
    item.put("database", "demo");
    item.put("table", table);
    item.put("state", "SCHEDULED");
    item.put("group", "WAITING");
    item.put("hold", "");
    item.put("holdReason", "");
    item.put("freshnessMs", FRESHNESS_MS);
    item.put("epoch", 3);
    item.put("roundRows", 0);
    item.put("roundBytes", 0);
    item.put("stateSinceMs", nowMs);
    item.put("tierLagMs", 4_000);
    item.put("late", false);
    item.put(
        "lastRound",
        Map.of(
            "roundId",
            "1-3-00c0ffee",
            "snapshotId",
            5283749128374651093L,
            "rows",
            4096,
            "bytes",
            1268034,
            "files",
            4,
            "committedMs",
            nowMs));
    item.put("failures", 0);
    item.put("failuresTotal", 0);
    item.put("offsets", List.of(Map.of("bucket", 0, "offset", 50117)));
    item.putAll(changes);
    tables.put(table, item);
    // Pausing works as in the coordinator: the state stays, the hold comes.
    service.on(
        "POST /api/v1/tiering/tables/demo/" + table + "/pause",
        exchange -> {
          change(table, Map.of("hold", "paused", "holdReason", "paused by an operator"));
          answer(exchange, tables.get(table));
        });
  }

  private synchronized List<Object> all() {
    return new ArrayList<>(tables.values());
  }

  private synchronized Map<String, Object> summary() {
    Map<String, Integer> counts = new TreeMap<>();
    for (String group : List.of("waiting", "ready", "tiering", "done", "failed", "held")) {
      counts.put(group, 0);
    }
    for (Map<String, Object> table : tables.values()) {
      counts.merge(table.get("group").toString().toLowerCase(Locale.ROOT), 1, Integer::sum);
      counts.merge("held", table.get("hold").toString().isEmpty() ? 0 : 1, Integer::sum);
    }
    return Map.of(
        "nowMs", System.currentTimeMillis(),
        "counts", counts,
        "workersAlive", 1,
        "workersExpected", 1,
        "lakeBreakerOpen", false,
        "pollIntervalMs", 30_000,
        "workerTimeoutMs", 120_000);
  }

  private static Map<String, Object> worker() {
    long nowMs = System.currentTimeMillis();
    return Map.of(
        "workerId",
        "tiering-1",
        "host",
        "127.0.0.1",
        "labels",
        Map.of(),
        "slots",
        2,
        "tables",
        0,
        "state",
        "ALIVE",
        "lastReportMs",
        nowMs,
        "connectedMs",
        nowMs);
  }

  private static Map<String, Object> page(List<Object> items) {
    return Map.of("items", items, "total", items.size(), "offset", 0, "limit", 1000);
  }

  private static void answer(HttpExchange exchange, Object value) throws IOException {
    FakeService.send(
        exchange, 200, "application/json", JsonMapper.shared().writeValueAsString(value));
  }
}
