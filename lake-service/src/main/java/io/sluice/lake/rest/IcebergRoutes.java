package io.sluice.lake.rest;

import io.sluice.lake.catalog.CatalogStore;
import io.sluice.lake.catalog.LakeCatalog;
import io.sluice.lake.catalog.LakeNames;
import io.sluice.lake.catalog.Locations;
import io.sluice.lake.commit.ManagedTables;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.MetadataUpdate;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.Endpoint;
import org.apache.iceberg.rest.RESTCatalogProperties.SnapshotMode;
import org.apache.iceberg.rest.RESTUtil;
import org.apache.iceberg.rest.requests.CreateNamespaceRequest;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.RegisterTableRequest;
import org.apache.iceberg.rest.requests.RenameTableRequest;
import org.apache.iceberg.rest.requests.ReportMetricsRequest;
import org.apache.iceberg.rest.requests.UpdateNamespacePropertiesRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.jspecify.annotations.Nullable;

/**
 * The requests of the REST catalog: config, namespaces, tables, rename and metrics. Nothing here
 * keeps state; a request is decoded, guarded, and given to Iceberg's handler.
 */
final class IcebergRoutes {
  private static final String SEPARATOR = "%1F";
  private static final List<Endpoint> ENDPOINTS =
      List.of(
          Endpoint.V1_LIST_NAMESPACES,
          Endpoint.V1_LOAD_NAMESPACE,
          Endpoint.V1_NAMESPACE_EXISTS,
          Endpoint.V1_CREATE_NAMESPACE,
          Endpoint.V1_UPDATE_NAMESPACE,
          Endpoint.V1_DELETE_NAMESPACE,
          Endpoint.V1_LIST_TABLES,
          Endpoint.V1_LOAD_TABLE,
          Endpoint.V1_TABLE_EXISTS,
          Endpoint.V1_CREATE_TABLE,
          Endpoint.V1_UPDATE_TABLE,
          Endpoint.V1_DELETE_TABLE,
          Endpoint.V1_RENAME_TABLE,
          Endpoint.V1_REGISTER_TABLE,
          Endpoint.V1_REPORT_METRICS);

  private final LakeCatalog catalog;
  private final ChangeGuard guard;

  IcebergRoutes(LakeCatalog catalog, ManagedTables managed) {
    this.catalog = catalog;
    this.guard = new ChangeGuard(catalog, managed);
  }

  /**
   * Answers a request; null is an answer without a body (204).
   *
   * @param path raw path below {@code /iceberg}, for example {@code /v1/namespaces/a%1Fb/tables}
   */
  @Nullable Object answer(HttpServletRequest request, String path) throws IOException {
    String[] parts = path.split("/", -1);
    // "", "v1", what, ...
    if (parts.length < 3 || !parts[1].equals("v1")) {
      throw unknown(request, path);
    }
    String method = request.getMethod().toUpperCase(Locale.ROOT);
    switch (parts[2]) {
      case "config" -> {
        if (parts.length == 3 && method.equals("GET")) {
          return config(request);
        }
      }
      case "namespaces" -> {
        return namespaces(request, method, parts, path);
      }
      case "tables" -> {
        if (parts.length == 4 && parts[3].equals("rename") && method.equals("POST")) {
          return rename(body(request, RenameTableRequest.class));
        }
      }
      default -> throw unknown(request, path);
    }
    throw unknown(request, path);
  }

  private ConfigResponse config(HttpServletRequest request) {
    String warehouse = request.getParameter("warehouse");
    boolean known =
        warehouse == null
            || warehouse.isEmpty()
            || warehouse.equals(CatalogStore.NAME)
            || warehouse.equals(Locations.of(catalog.locations().root()))
            || warehouse.equals(catalog.locations().root().toString());
    if (!known) {
      throw new BadRequestException(
          "Warehouse '%s' does not exist; this catalog has the warehouse '%s'",
          warehouse, CatalogStore.NAME);
    }
    return ConfigResponse.builder().withEndpoints(ENDPOINTS).build();
  }

  private @Nullable Object namespaces(
      HttpServletRequest request, String method, String[] parts, String path) throws IOException {
    if (parts.length == 3) {
      return switch (method) {
        case "GET" -> listNamespaces(request);
        case "POST" -> createNamespace(body(request, CreateNamespaceRequest.class));
        default -> throw unknown(request, path);
      };
    }
    Namespace namespace = RESTUtil.decodeNamespace(parts[3], SEPARATOR);
    if (parts.length == 4) {
      return namespace(request, method, namespace, path);
    }
    String what = parts[4];
    if (parts.length == 5 && what.equals("properties") && method.equals("POST")) {
      return CatalogHandlers.updateNamespaceProperties(
          catalog, namespace, body(request, UpdateNamespacePropertiesRequest.class));
    }
    if (parts.length == 5 && what.equals("register") && method.equals("POST")) {
      return register(namespace, body(request, RegisterTableRequest.class));
    }
    if (!what.equals("tables")) {
      throw unknown(request, path);
    }
    if (parts.length == 5) {
      return switch (method) {
        case "GET" -> listTables(request, namespace);
        case "POST" -> createTable(namespace, body(request, CreateTableRequest.class));
        default -> throw unknown(request, path);
      };
    }
    TableIdentifier table = TableIdentifier.of(namespace, RESTUtil.decodeString(parts[5]));
    if (parts.length == 6) {
      return table(request, method, table, path);
    }
    if (parts.length == 7 && parts[6].equals("metrics") && method.equals("POST")) {
      body(request, ReportMetricsRequest.class);
      return null;
    }
    throw unknown(request, path);
  }

  private @Nullable Object namespace(
      HttpServletRequest request, String method, Namespace namespace, String path) {
    switch (method) {
      case "GET" -> {
        return CatalogHandlers.loadNamespace(catalog, namespace);
      }
      case "HEAD" -> CatalogHandlers.namespaceExists(catalog, namespace);
      case "DELETE" -> CatalogHandlers.dropNamespace(catalog, namespace);
      default -> throw unknown(request, path);
    }
    return null;
  }

  private Object listNamespaces(HttpServletRequest request) {
    String parent = request.getParameter("parent");
    Namespace namespace =
        parent == null || parent.isEmpty()
            ? Namespace.empty()
            : RESTUtil.namespaceFromQueryParam(parent);
    String size = request.getParameter("pageSize");
    return size == null
        ? CatalogHandlers.listNamespaces(catalog, namespace)
        : CatalogHandlers.listNamespaces(catalog, namespace, pageToken(request), pageSize(size));
  }

  private Object createNamespace(CreateNamespaceRequest request) {
    request.validate();
    LakeNames.check(request.namespace());
    return CatalogHandlers.createNamespace(catalog, request);
  }

  private Object listTables(HttpServletRequest request, Namespace namespace) {
    String size = request.getParameter("pageSize");
    return size == null
        ? CatalogHandlers.listTables(catalog, namespace)
        : CatalogHandlers.listTables(catalog, namespace, pageToken(request), pageSize(size));
  }

  private static String pageToken(HttpServletRequest request) {
    String token = request.getParameter("pageToken");
    if (token != null && !token.isEmpty() && !token.chars().allMatch(Character::isDigit)) {
      throw new BadRequestException("Page token '%s' was not given by this catalog", token);
    }
    return token == null ? "" : token;
  }

  private static String pageSize(String size) {
    try {
      if (Integer.parseInt(size) > 0) {
        return size;
      }
    } catch (NumberFormatException e) {
      throw new BadRequestException(e, "Page size '%s' must be a number above 0", size);
    }
    throw new BadRequestException("Page size '%s' must be a number above 0", size);
  }

  private Object createTable(Namespace namespace, CreateTableRequest request) {
    request.validate();
    TableIdentifier table = TableIdentifier.of(namespace, request.name());
    LakeNames.check(table);
    checkLocation(request.location(), table);
    guard.create(table, request.properties().keySet());
    return request.stageCreate()
        ? CatalogHandlers.stageTableCreate(catalog, namespace, request)
        : CatalogHandlers.createTable(catalog, namespace, request);
  }

  private Object register(Namespace namespace, RegisterTableRequest request) {
    request.validate();
    TableIdentifier table = TableIdentifier.of(namespace, request.name());
    LakeNames.check(table);
    Path unused = catalog.locations().path(request.metadataLocation());
    StaticTableOperations metadata =
        new StaticTableOperations(request.metadataLocation(), catalog.operations(table).io());
    guard.register(table, new BaseTable(metadata, table.toString()));
    return CatalogHandlers.registerTable(catalog, namespace, request);
  }

  private @Nullable Object table(
      HttpServletRequest request, String method, TableIdentifier table, String path)
      throws IOException {
    switch (method) {
      case "GET" -> {
        return CatalogHandlers.loadTable(catalog, table, snapshotMode(request));
      }
      case "HEAD" -> CatalogHandlers.tableExists(catalog, table);
      case "POST" -> {
        return update(table, body(request, UpdateTableRequest.class));
      }
      case "DELETE" -> drop(table, Boolean.parseBoolean(request.getParameter("purgeRequested")));
      default -> throw unknown(request, path);
    }
    return null;
  }

  private static SnapshotMode snapshotMode(HttpServletRequest request) {
    String snapshots = request.getParameter("snapshots");
    return snapshots == null || !snapshots.equalsIgnoreCase("refs")
        ? SnapshotMode.ALL
        : SnapshotMode.REFS;
  }

  private Object update(TableIdentifier table, UpdateTableRequest request) {
    request.validate();
    LakeNames.check(table);
    for (MetadataUpdate update : request.updates()) {
      if (update instanceof MetadataUpdate.SetLocation location) {
        checkLocation(location.location(), table);
      }
    }
    guard.update(table, request.updates());
    return CatalogHandlers.updateTable(catalog, table, request);
  }

  private void drop(TableIdentifier table, boolean purge) {
    UUID allowed = guard.drop(table, purge);
    if (allowed == null || !catalog.dropTable(table, allowed, purge)) {
      throw new NoSuchTableException("Table does not exist: %s", table);
    }
  }

  private @Nullable Object rename(RenameTableRequest request) {
    request.validate();
    LakeNames.check(request.destination());
    if (!catalog.tableExists(request.source())) {
      throw new NoSuchTableException("Table does not exist: %s", request.source());
    }
    guard.rename(request.source(), request.destination());
    CatalogHandlers.renameTable(catalog, request);
    return null;
  }

  private void checkLocation(@Nullable String location, TableIdentifier table) {
    if (location == null) {
      return;
    }
    long owner = catalog.locations().managedId(catalog.locations().path(location));
    if (owner != 0 && owner != guard.tableId(table)) {
      throw new BadRequestException(
          "Location %s lies in the directory of Sluice's table id %s; choose another",
          location, owner);
    }
  }

  private static <T> T body(HttpServletRequest request, Class<T> type) throws IOException {
    return IcebergJson.read(request.getInputStream(), type);
  }

  private static UnknownRouteException unknown(HttpServletRequest request, String path) {
    return new UnknownRouteException(request.getMethod(), path);
  }
}
