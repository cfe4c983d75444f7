package io.sluice.systemtests.lake;

import io.sluice.client.Connection;
import io.sluice.lake.app.LakeApplication;
import io.sluice.systemtests.local.LocalCluster;
import io.sluice.systemtests.local.LocalServices;
import io.sluice.systemtests.relay.GrpcRelay;
import io.sluice.tiering.app.TieringApplication;
import java.nio.file.Path;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A tiering worker, the lake service and the SQL service beside {@link LocalCluster}, in this JVM
 * on free ports, with relays between them. Started once and shared: tests keep apart by the names
 * of their databases and look only at messages of their own tables.
 */
public final class LakeCluster {
  /** Services of one JVM share a logging system, which tells at INFO of every load of a table. */
  private static final String QUIET = "--logging.level.org.apache=ERROR";

  private static LakeCluster shared;

  private final LocalCluster local = LocalCluster.shared();
  private final LocalServices services = local.services();
  private final Path warehouse = local.directory("warehouse");
  private final int lakeHttpPort;
  private final int sqlHttpPort;
  private final String lakeAddress;
  private final GrpcRelay workerToLake;
  private final GrpcRelay workerToCoordinator;
  private final GrpcRelay lakeToCoordinator;

  private LakeCluster() {
    List<Integer> ports = LocalServices.freePorts(6);
    lakeAddress = "127.0.0.1:" + ports.get(0);
    lakeHttpPort = ports.get(1);
    sqlHttpPort = ports.get(3);
    workerToCoordinator = services.add(new GrpcRelay(local.coordinators()));
    lakeToCoordinator = services.add(new GrpcRelay(local.coordinators()));
    workerToLake = services.add(new GrpcRelay(lakeAddress));
    services.start(
        LakeApplication.class,
        "--spring.application.name=lake",
        QUIET,
        "--spring.grpc.server.port=" + ports.get(0),
        "--server.port=" + lakeHttpPort,
        "--sluice.lake.role=lake",
        "--sluice.lake.coordinators=" + lakeToCoordinator.address(),
        "--sluice.lake.warehouse=" + warehouse,
        "--sluice.lake.catalog-dir=" + local.directory("catalog"),
        "--sluice.lake.compare-interval=2s",
        "--sluice.cluster.secret-file=" + local.secret());
    services.start(
        LakeApplication.class,
        "--spring.application.name=lake-sql",
        QUIET,
        "--spring.grpc.server.port=" + ports.get(2),
        "--server.port=" + sqlHttpPort,
        "--sluice.lake.role=sql",
        "--sluice.sql.coordinators=" + local.coordinators(),
        "--sluice.sql.lake=" + lakeAddress,
        "--sluice.sql.warehouse=" + warehouse,
        "--sluice.sql.work-dir=" + local.directory("sql"),
        "--sluice.sql.memory=256MB",
        "--sluice.cluster.secret-file=" + local.secret());
    startWorker(
        "tiering-1", ports.get(5), workerToCoordinator.address(), workerToLake.address(), 2);
  }

  /** The cluster of this JVM; it stops with the local cluster. */
  public static synchronized LakeCluster shared() {
    if (shared == null) {
      shared = new LakeCluster();
    }
    return shared;
  }

  /** Starts one more worker, which talks to the services without relays. */
  ConfigurableApplicationContext startWorker(String workerId) {
    return startWorker(
        workerId, LocalServices.freePorts(1).get(0), local.coordinators(), lakeAddress, 2);
  }

  private ConfigurableApplicationContext startWorker(
      String workerId, int httpPort, String coordinators, String lake, int slots) {
    return services.start(
        TieringApplication.class,
        "--spring.application.name=tiering",
        QUIET,
        "--spring.grpc.server.enabled=false",
        "--server.port=" + httpPort,
        "--sluice.tiering.worker-id=" + workerId,
        "--sluice.tiering.host=127.0.0.1",
        "--sluice.tiering.coordinators=" + coordinators,
        "--sluice.tiering.lake=" + lake,
        "--sluice.tiering.slots=" + slots,
        "--sluice.tiering.report-interval=500ms",
        "--sluice.tiering.coordinator-timeout=5s",
        "--sluice.cluster.secret-file=" + local.secret());
  }

  /** Stops a worker that a test started. */
  void stop(ConfigurableApplicationContext worker) {
    services.stop(worker);
  }

  /** A connection of the Java client. */
  public Connection connect() {
    return local.connect();
  }

  /** Where the Iceberg REST catalog is. */
  public String icebergUri() {
    return "http://127.0.0.1:" + lakeHttpPort + "/iceberg";
  }

  /** What stock clients and rules see of the lake. */
  Lake lake() {
    return new Lake(icebergUri(), local.restUrl());
  }

  /** Statements over REST. */
  public SqlClient sql() {
    return new SqlClient("http://127.0.0.1:" + sqlHttpPort);
  }

  /** Root of the SQL service's REST API. */
  public String sqlUrl() {
    return "http://127.0.0.1:" + sqlHttpPort;
  }

  /** Root of the coordinator's REST API. */
  public String restUrl() {
    return local.restUrl();
  }

  GrpcRelay workerToLake() {
    return workerToLake;
  }

  GrpcRelay workerToCoordinator() {
    return workerToCoordinator;
  }

  GrpcRelay lakeToCoordinator() {
    return lakeToCoordinator;
  }
}
