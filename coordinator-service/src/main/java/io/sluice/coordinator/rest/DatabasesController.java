package io.sluice.coordinator.rest;

import io.sluice.coordinator.control.Catalog;
import io.sluice.coordinator.control.Versioned;
import io.sluice.coordinator.metadata.ClusterState;
import io.sluice.coordinator.metadata.Database;
import io.sluice.coordinator.metadata.MetadataImage;
import io.sluice.coordinator.metadata.PersistentMap;
import io.sluice.coordinator.rest.Views.DatabaseView;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/databases}. */
@RestController
@RequestMapping("/api/v1/databases")
public final class DatabasesController {
  private final Catalog catalog;

  public DatabasesController(Catalog catalog) {
    this.catalog = catalog;
  }

  /** The body of a creation. */
  record CreateDatabase(
      @NotNull(message = "is missing") String name,
      @Nullable String comment,
      @Nullable Boolean ignoreIfExists) {}

  @GetMapping
  ResponseEntity<Page<DatabaseView>> list(
      @RequestParam(defaultValue = "") String nameContains,
      @RequestParam(defaultValue = "0") int offset,
      @RequestParam(defaultValue = Page.DEFAULT_LIMIT) int limit) {
    MetadataImage image = Answers.await(catalog.image());
    var counts = image.state().tableCounts();
    List<DatabaseView> found = new ArrayList<>();
    for (PersistentMap.Entry<String, Database> entry : image.state().databases()) {
      if (entry.key().contains(nameContains)) {
        found.add(DatabaseView.of(entry.value(), counts.getOrDefault(entry.key(), 0)));
      }
    }
    return Answers.tagged(image, Page.of(found, offset, limit));
  }

  @GetMapping("/{database}")
  ResponseEntity<DatabaseView> find(@PathVariable String database) {
    Versioned<Database> found = Answers.await(catalog.database(database));
    return Answers.tagged(found.image(), view(found));
  }

  @PostMapping
  ResponseEntity<DatabaseView> create(@Valid @RequestBody CreateDatabase body) {
    Versioned<Database> created =
        Answers.await(
            catalog.createDatabase(
                body.name(),
                body.comment() == null ? "" : body.comment(),
                Boolean.TRUE.equals(body.ignoreIfExists())));
    return ResponseEntity.created(URI.create("/api/v1/databases/" + created.value().name()))
        .eTag(Answers.tag(created.image()))
        .body(view(created));
  }

  @DeleteMapping("/{database}")
  ResponseEntity<Void> drop(
      @PathVariable String database, @RequestParam(defaultValue = "false") boolean cascade) {
    Answers.await(catalog.dropDatabase(database, false, cascade));
    return ResponseEntity.noContent().build();
  }

  private static DatabaseView view(Versioned<Database> found) {
    ClusterState state = found.image().state();
    return DatabaseView.of(found.value(), state.tableCount(found.value().name()));
  }
}
