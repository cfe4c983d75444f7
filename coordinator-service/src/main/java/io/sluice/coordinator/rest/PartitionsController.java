package io.sluice.coordinator.rest;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TablePath;
import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.control.Versioned;
import io.sluice.coordinator.metadata.Partition;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.rest.Views.PartitionView;
import io.sluice.format.partition.PartitionKeys;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/tables/{database}/{table}/partitions}. */
@RestController
@RequestMapping("/api/v1/tables/{database}/{table}/partitions")
public final class PartitionsController {
  private final Catalog catalog;

  public PartitionsController(Catalog catalog) {
    this.catalog = catalog;
  }

  /** The body of a creation: either the values or the name. */
  record CreatePartition(
      @Nullable List<@NotNull String> values,
      @Nullable String name,
      @Nullable Boolean ignoreIfExists) {}

  @GetMapping
  ResponseEntity<Page<PartitionView>> list(
      @PathVariable String database,
      @PathVariable String table,
      @RequestParam(defaultValue = "") String nameContains,
      @RequestParam(defaultValue = "0") int offset,
      @RequestParam(defaultValue = Page.DEFAULT_LIMIT) int limit) {
    Versioned<Table> found = Answers.await(catalog.table(new TablePath(database, table)));
    List<Partition> named =
        found.value().partitions().stream()
            .filter(partition -> name(found.value(), partition).contains(nameContains))
            .toList();
    Page<Partition> page = Page.of(named, offset, limit);
    return Answers.tagged(
        found.image(),
        new Page<>(
            page.items().stream().map(each -> PartitionView.of(found.value(), each)).toList(),
            page.total(),
            offset,
            limit));
  }

  @PostMapping
  ResponseEntity<PartitionView> create(
      @PathVariable String database,
      @PathVariable String table,
      @Valid @RequestBody CreatePartition body) {
    TablePath path = new TablePath(database, table);
    List<String> values = body.values();
    if ((values == null) == (body.name() == null)) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "Give either the values or the name of the partition");
    }
    if (values == null) {
      values = values(path, String.valueOf(body.name()));
    }
    Partition created =
        Answers.await(
            catalog.createPartition(path, 0, values, Boolean.TRUE.equals(body.ignoreIfExists())));
    Versioned<Table> found = Answers.await(catalog.table(path));
    return ResponseEntity.status(HttpStatus.CREATED)
        .eTag(Answers.tag(found.image()))
        .body(PartitionView.of(found.value(), created));
  }

  @DeleteMapping
  ResponseEntity<Void> drop(
      @PathVariable String database, @PathVariable String table, @RequestParam String name) {
    TablePath path = new TablePath(database, table);
    Answers.await(catalog.dropPartition(path, values(path, name), false));
    return ResponseEntity.noContent().build();
  }

  private List<String> values(TablePath path, String name) {
    Table table = Answers.await(catalog.table(path)).value();
    if (!table.partitioned()) {
      throw new SluiceException(
          ErrorCode.INVALID_PARTITION, "Table " + path + " is not partitioned");
    }
    return PartitionKeys.of(table.schema(), table.partitionKeys()).parse(name);
  }

  private static String name(Table table, Partition partition) {
    return PartitionKeys.name(table.partitionKeys(), partition.values());
  }
}
