package io.sluice.coordinator.app;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.nio.file.Path;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Settings shared with the launcher.
 *
 * @param home directory of this cluster's state on this machine
 * @param defaultReplicationFactor replicas of a bucket unless a table says otherwise
 */
@Validated
@ConfigurationProperties("sluice")
record SluiceProperties(
    @NotNull @DefaultValue(".sluice") Path home,
    @Min(1) @Max(7) @DefaultValue("1") int defaultReplicationFactor) {}
