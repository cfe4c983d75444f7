package io.sluice.coordinator.app;

import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import io.sluice.coordinator.raft.RaftSettings;
import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of the coordinator.
 *
 * @param id this coordinator's id among its peers
 * @param peers all coordinators as {@code id=host:raftPort:grpcPort:httpPort}; empty = this one
 *     alone. Counts at the first start; later the group knows its members
 * @param join whether a coordinator without metadata waits to be taken into a group, see
 *     docs/operations.md
 * @param electionTimeout silence of the leading coordinator after which another one is elected, up
 *     to twice that
 * @param sessionTimeout silence after which a tablet server's session ends
 * @param snapshotEvery metadata commands between two snapshots
 * @param autoPartitionInterval pause between two looks for partitions to create and to drop
 * @param concurrentMoves buckets that a rebalance moves at the same time
 */
@Validated
@ConfigurationProperties("sluice.coordinator")
record CoordinatorProperties(
    @NotNull @Pattern(
            regexp = "[A-Za-z0-9_-]{1,32}",
            message = "must be 1 to 32 letters, digits, _ or -")
        @DefaultValue("1")
        String id,
    @NotNull @DefaultValue List<String> peers,
    @DefaultValue("false") boolean join,
    @NotNull @DefaultValue("1s") Duration electionTimeout,
    @NotNull @DefaultValue("6s") Duration sessionTimeout,
    @Min(value = 100, message = "must be at least 100") @DefaultValue("20000") long snapshotEvery,
    @NotNull @DefaultValue("10s") Duration autoPartitionInterval,
    @Min(value = 1, message = "must be at least 1") @DefaultValue("8") int concurrentMoves) {

  @AssertTrue(message = "sluice.coordinator.election-timeout must be between 200ms and 30s") boolean isElectionTimeoutInRange() {
    return electionTimeout.compareTo(Duration.ofMillis(200)) >= 0
        && electionTimeout.compareTo(Duration.ofSeconds(30)) <= 0;
  }

  @AssertTrue(message = "sluice.coordinator.session-timeout must be between 2s and 10m") boolean isSessionTimeoutInRange() {
    return sessionTimeout.compareTo(Duration.ofSeconds(2)) >= 0
        && sessionTimeout.compareTo(Duration.ofMinutes(10)) <= 0;
  }

  @AssertTrue(message = "sluice.coordinator.auto-partition-interval must be between 100ms and 1h") boolean isAutoPartitionIntervalInRange() {
    return autoPartitionInterval.compareTo(Duration.ofMillis(100)) >= 0
        && autoPartitionInterval.compareTo(Duration.ofHours(1)) <= 0;
  }

  RaftSettings raftSettings(Path home, int grpcPort) {
    Path directory = home.resolve("coordinator").resolve("raft");
    List<Member> all =
        peers.isEmpty()
            ? RaftSettings.single(id, directory, grpcPort).peers()
            : peers.stream().map(RaftSettings::parsePeer).toList();
    return new RaftSettings(id, all, directory, snapshotEvery, join, electionTimeout);
  }
}
