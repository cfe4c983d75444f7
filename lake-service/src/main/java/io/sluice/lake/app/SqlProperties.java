package io.sluice.lake.app;

import jakarta.validation.constraints.AssertTrue;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of the SQL engine.
 *
 * @param coordinators addresses of coordinators, {@code host:port} each
 * @param lake address of lake-service's gRPC, {@code host:port}
 * @param warehouse directory of the lake's files; no other file is ever read
 * @param workDir directory that queries spill to; emptied at start
 * @param memory memory of the engine for one query
 * @param threads threads of the engine for one query
 * @param maxSpill the most that one query may spill
 * @param maxConcurrent statements that run at the same time
 * @param timeout how long a statement may run
 * @param maxRows the most rows of an answer
 * @param lakeTimeout bound of a question to lake-service
 */
@Validated
@ConfigurationProperties("sluice.sql")
record SqlProperties(
    @NotEmpty(message = "is not set; name at least one coordinator as host:port") List<@Pattern(regexp = ADDRESS, message = "must be host:port") String> coordinators,
    @NotNull(message = "is not set; give lake-service's address as host:port") @Pattern(regexp = ADDRESS, message = "must be host:port") String lake,
    @NotNull(message = "is not set; give the directory of the lake's files") Path warehouse,
    @NotNull(message = "is not set; give a directory that queries can spill to") Path workDir,
    @DefaultValue("512MB") DataSize memory,
    @DefaultValue("2") @Min(1) @Max(256) int threads,
    @DefaultValue("2GB") DataSize maxSpill,
    @DefaultValue("4") @Min(1) @Max(1024) int maxConcurrent,
    @DefaultValue("5m") Duration timeout,
    @DefaultValue("10000") @Min(1) @Max(1_000_000) int maxRows,
    @DefaultValue("10s") Duration lakeTimeout) {
  private static final String ADDRESS = "[^\\s:/]+:\\d{1,5}";
  private static final DataSize LEAST_MEMORY = DataSize.ofMegabytes(32);

  @AssertTrue(message = "sluice.sql.memory must be at least 32MB") boolean isMemoryEnough() {
    return memory.compareTo(LEAST_MEMORY) >= 0;
  }

  @AssertTrue(message = "sluice.sql.warehouse must not contain *, ? or [, which the engine expands") boolean isWarehousePlain() {
    return warehouse == null || !warehouse.toString().matches(".*[*?\\[].*");
  }

  @AssertTrue(message = "sluice.sql.max-spill must not be negative") boolean isMaxSpillValid() {
    return !maxSpill.isNegative();
  }

  @AssertTrue(message = "sluice.sql.timeout and sluice.sql.lake-timeout must be longer than 0") boolean isTimeoutsPositive() {
    return isPositive(timeout) && isPositive(lakeTimeout);
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero();
  }
}
