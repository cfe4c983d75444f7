package io.sluice.lake.sql;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of statements, each with a gateway of its own. */
abstract class GatewayTest {
  StartedGateway gateway;

  @BeforeEach
  final void openGateway(@TempDir Path directory) {
    gateway = new StartedGateway(directory);
  }

  @AfterEach
  final void closeGateway() {
    gateway.close();
  }
}
