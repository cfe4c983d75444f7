package io.sluice.coordinator.rest;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.metadata.LakeHold;
import io.sluice.coordinator.tiering.LakeRecords;
import io.sluice.coordinator.tiering.QueueStatus;
import io.sluice.coordinator.tiering.TableStatus;
import io.sluice.coordinator.tiering.TieringGroup;
import io.sluice.coordinator.tiering.WorkerStatus;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/tiering}: the queue, its tables and its workers. */
@RestController
@RequestMapping("/api/v1/tiering")
public final class TieringController {
  private static final Comparator<TableStatus> BY_NAME =
      Comparator.comparing(TableStatus::database).thenComparing(TableStatus::table);

  private final LakeRecords records;

  public TieringController(LakeRecords records) {
    this.records = records;
  }

  @GetMapping
  QueueStatus status() {
    return Answers.await(records.query((queue, nowMs) -> queue.status(nowMs)));
  }

  @GetMapping("/tables")
  Page<TableStatus> tables(
      @RequestParam(defaultValue = "") String group,
      @RequestParam(defaultValue = "") String database,
      @RequestParam(defaultValue = "") String search,
      @RequestParam(defaultValue = "0") int offset,
      @RequestParam(defaultValue = Page.DEFAULT_LIMIT) int limit) {
    TieringGroup wanted = group(group);
    String text = search.toLowerCase(Locale.ROOT);
    List<TableStatus> found =
        Answers.await(records.query((queue, nowMs) -> queue.tableStatuses(nowMs))).stream()
            .filter(table -> wanted == null || table.group() == wanted)
            .filter(table -> database.isEmpty() || table.database().equals(database))
            .filter(
                table ->
                    (table.database() + "." + table.table())
                        .toLowerCase(Locale.ROOT)
                        .contains(text))
            .sorted(BY_NAME)
            .toList();
    return Page.of(found, offset, limit);
  }

  private static @Nullable TieringGroup group(String name) {
    if (name.isEmpty()) {
      return null;
    }
    try {
      return TieringGroup.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "group is '" + name + "'; it must be one of " + Arrays.toString(TieringGroup.values()),
          unknown);
    }
  }

  @GetMapping("/tables/{database}/{table}")
  TableStatus table(@PathVariable String database, @PathVariable String table) {
    return Answers.await(records.status(new TablePath(database, table)));
  }

  @PostMapping("/tables/{database}/{table}/pause")
  TableStatus pause(@PathVariable String database, @PathVariable String table) {
    return Answers.await(
        records.setHold(new TablePath(database, table), LakeHold.PAUSED, "paused by an operator"));
  }

  @PostMapping("/tables/{database}/{table}/resume")
  TableStatus resume(@PathVariable String database, @PathVariable String table) {
    return Answers.await(records.setHold(new TablePath(database, table), LakeHold.NONE, ""));
  }

  @GetMapping("/workers")
  Page<WorkerStatus> workers(
      @RequestParam(defaultValue = "0") int offset,
      @RequestParam(defaultValue = Page.DEFAULT_LIMIT) int limit) {
    return Page.of(
        Answers.await(records.query((queue, nowMs) -> queue.workerStatuses(nowMs))), offset, limit);
  }
}
