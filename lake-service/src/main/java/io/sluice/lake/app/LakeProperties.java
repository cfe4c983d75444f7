package io.sluice.lake.app;

import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Settings of the role lake.
 *
 * @param role what this process is
 * @param coordinators addresses, {@code host:port} each
 * @param warehouse directory of the lake tables' files
 * @param catalogDir directory of the catalog's database, for this process alone
 * @param compareInterval how often the lake is compared with what the coordinator has recorded
 * @param measureInterval how often the metrics of the lake tables are taken
 * @param coordinatorTimeout bound of a question to the coordinators
 */
@Validated
@ConfigurationProperties("sluice.lake")
record LakeProperties(
    @DefaultValue("lake") String role,
    @NotEmpty(message = "is not set; name at least one coordinator as host:port") List<String> coordinators,
    @NotNull(message = "is not set; give the directory of the lake tables' files") Path warehouse,
    @NotNull(message = "is not set; give the directory of the catalog's database") Path catalogDir,
    @DefaultValue("1m") Duration compareInterval,
    @DefaultValue("10s") Duration measureInterval,
    @DefaultValue("5s") Duration coordinatorTimeout) {}
