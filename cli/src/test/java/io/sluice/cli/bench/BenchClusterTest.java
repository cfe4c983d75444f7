package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.cluster.Launcher;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchClusterTest {
  @TempDir Path directory;

  private BenchCluster cluster(ClusterSize size) {
    Launcher launcher = new Launcher(directory.resolve("script"), directory);
    return new BenchCluster(launcher, 12_000, size, notice -> {});
  }

  @Test
  void everyServiceHasPortsOfItsOwn() {
    assertThat(BenchCluster.ports(12_000, ClusterSize.SMALLEST).boxed())
        .containsExactly(12_123, 12_133, 12_180, 12_223, 12_280);
    assertThat(BenchCluster.ports(12_000, ClusterSize.ofTablets(3)).boxed())
        .hasSize(15)
        .doesNotHaveDuplicates()
        .contains(12_125, 12_135, 12_182, 12_225, 12_282);
  }

  @Test
  void threeTabletsHaveThreeCoordinators() {
    assertThat(cluster(ClusterSize.SMALLEST).address()).isEqualTo("127.0.0.1:12123");
    assertThat(cluster(ClusterSize.ofTablets(3)).address())
        .isEqualTo("127.0.0.1:12123,127.0.0.1:12124,127.0.0.1:12125");
  }

  @Test
  void allProcessesAreCounted() throws Exception {
    Path run = Files.createDirectories(directory.resolve("run"));
    for (int i = 1; i <= 3; i++) {
      Files.writeString(run.resolve("coordinator-" + i + ".pid"), "10" + i);
      Files.writeString(run.resolve("tablet-" + i + ".pid"), "20" + i);
    }
    BenchCluster cluster = cluster(ClusterSize.ofTablets(3));

    assertThat(cluster.pids()).containsExactly(101L, 102L, 103L, 201L, 202L, 203L);
    assertThat(cluster.tabletPid(2)).isEqualTo(202);
  }
}
