package io.sluice.tiering.app;

import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of a tiering worker.
 *
 * @param workerId its name in the queue, the same after a restart
 * @param host where it runs, as the console shows it
 * @param coordinators addresses, {@code host:port} each
 * @param lake gRPC address of lake-service, {@code host:port}
 * @param slots rounds at the same time
 * @param reportInterval time between reports when nothing happens
 * @param coordinatorTimeout a worker that has not reached a coordinator for so long drops what is
 *     not in its commit; the coordinator's worker time-out
 * @param lakeTimeout bound of one call to lake-service
 * @param resolveTimeout how long an unknown outcome of a commit is asked after
 * @param targetFileBytes a file that has reached this size ends
 * @param writeBytes encoded rows that all slots together may hold in memory
 * @param scanBufferBytes received bytes that one round may hold in memory
 * @param round bounds of a round
 */
@Validated
@ConfigurationProperties("sluice.tiering")
record TieringProperties(
    @NotBlank(message = "is not set; give the worker a name") String workerId,
    @NotBlank @DefaultValue("127.0.0.1") String host,
    @NotEmpty(message = "is not set; name at least one coordinator as host:port") List<String> coordinators,
    @NotBlank(message = "is not set; give lake-service's gRPC address as host:port") String lake,
    @DefaultValue("2") @Min(1) int slots,
    @DefaultValue("30s") Duration reportInterval,
    @DefaultValue("2m") Duration coordinatorTimeout,
    @DefaultValue("30s") Duration lakeTimeout,
    @DefaultValue("2m") Duration resolveTimeout,
    @DefaultValue("128MB") DataSize targetFileBytes,
    @DefaultValue("64MB") DataSize writeBytes,
    @DefaultValue("8MB") DataSize scanBufferBytes,
    @DefaultValue Round round) {

  /**
   * Bounds of a round.
   *
   * @param maxBytes estimated stored bytes that a round reads
   */
  record Round(@DefaultValue("256MB") DataSize maxBytes) {}
}
