package io.sluice.coordinator.rest;

import com.google.protobuf.ByteString;
import io.sluice.common.TablePath;
import io.sluice.coordinator.control.Alterations;
import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.control.TableDefinition;
import io.sluice.coordinator.control.Versioned;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.Table;
import io.sluice.coordinator.rest.Views.TableSummary;
import io.sluice.coordinator.rest.Views.TableView;
import io.sluice.protocol.flight.WireMessages;
import io.sluice.protocol.metadata.Schemas;
import io.sluice.protocol.metadata.v1.AlterTableRequest;
import io.sluice.protocol.metadata.v1.ColumnDef;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/tables}. */
@RestController
@RequestMapping("/api/v1/tables")
public final class TablesController {
  private final Catalog catalog;

  public TablesController(Catalog catalog) {
    this.catalog = catalog;
  }

  /** A column of a creation; {@code nullable} is true unless it says otherwise. */
  record CreateColumn(
      @NotNull(message = "is missing") String name,
      @NotNull(message = "is missing") String type,
      @Nullable Boolean nullable,
      @Nullable String comment,
      @Nullable String writeDefault) {}

  /** The body of a creation. */
  record CreateTable(
      @NotNull(message = "is missing") String database,
      @NotNull(message = "is missing") String table,
      @NotNull(message = "is missing") List<@Valid @NotNull CreateColumn> columns,
      @Nullable List<@NotNull String> primaryKey,
      @Nullable List<@NotNull String> partitionKeys,
      @Nullable Map<String, @NotNull String> options,
      @Nullable String comment,
      @Nullable Boolean ignoreIfExists) {}

  @GetMapping
  ResponseEntity<Page<TableSummary>> list(
      @RequestParam(defaultValue = "") String database,
      @RequestParam(defaultValue = "") String nameContains,
      @RequestParam(defaultValue = "0") int offset,
      @RequestParam(defaultValue = Page.DEFAULT_LIMIT) int limit) {
    MetadataImage image =
        database.isEmpty()
            ? Answers.await(catalog.image())
            : Answers.await(catalog.database(database)).image();
    List<Table> found =
        image.state().tablesByName().stream()
            .filter(table -> database.isEmpty() || table.path().database().equals(database))
            .filter(table -> table.path().table().contains(nameContains))
            .toList();
    Page<Table> page = Page.of(found, offset, limit);
    return Answers.tagged(
        image,
        new Page<>(
            page.items().stream().map(TableSummary::of).toList(), page.total(), offset, limit));
  }

  @GetMapping("/{database}/{table}")
  ResponseEntity<TableView> find(@PathVariable String database, @PathVariable String table) {
    Versioned<Table> found = Answers.await(catalog.table(new TablePath(database, table)));
    return Answers.tagged(found.image(), view(found));
  }

  @PostMapping
  ResponseEntity<TableView> create(@Valid @RequestBody CreateTable body) {
    Versioned<Table> created =
        Answers.await(
            catalog.createTable(definition(body), Boolean.TRUE.equals(body.ignoreIfExists())));
    TablePath path = created.value().path();
    return ResponseEntity.created(
            URI.create("/api/v1/tables/" + path.database() + "/" + path.table()))
        .eTag(Answers.tag(created.image()))
        .body(view(created));
  }

  /** Takes {@code {"tableId": "1", "changes": [...]}} as protobuf writes it in JSON. */
  @PostMapping(path = "/{database}/{table}/alter", consumes = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<TableView> alter(
      @PathVariable String database, @PathVariable String table, @RequestBody String body) {
    AlterTableRequest request =
        WireMessages.parse(
            ByteString.copyFromUtf8(body.strip()), AlterTableRequest.getDefaultInstance());
    Versioned<Table> altered =
        Answers.await(
            catalog.alterTable(
                new TablePath(database, table),
                request.getTableId(),
                Alterations.of(request.getChangesList())));
    return Answers.tagged(altered.image(), view(altered));
  }

  @DeleteMapping("/{database}/{table}")
  ResponseEntity<Void> drop(@PathVariable String database, @PathVariable String table) {
    Answers.await(catalog.dropTable(new TablePath(database, table), false));
    return ResponseEntity.noContent().build();
  }

  private static TableDefinition definition(CreateTable body) {
    TablePath path = new TablePath(body.database(), body.table());
    List<ColumnDef> columns = body.columns().stream().map(TablesController::column).toList();
    List<String> primaryKey = body.primaryKey() == null ? List.of() : body.primaryKey();
    Map<String, String> options = body.options() == null ? Map.of() : body.options();
    return new TableDefinition(
        path,
        Schemas.newSchema(columns, primaryKey),
        body.partitionKeys() == null ? List.of() : body.partitionKeys(),
        options,
        body.comment() == null ? "" : body.comment());
  }

  private static ColumnDef column(CreateColumn column) {
    ColumnDef.Builder definition =
        ColumnDef.newBuilder()
            .setName(column.name())
            .setType(column.type())
            .setNotNull(Boolean.FALSE.equals(column.nullable()))
            .setComment(column.comment() == null ? "" : column.comment());
    if (column.writeDefault() != null) {
      definition.setWriteDefault(column.writeDefault());
    }
    return definition.build();
  }

  private static TableView view(Versioned<Table> found) {
    return TableView.of(found.image().state(), found.value());
  }
}
