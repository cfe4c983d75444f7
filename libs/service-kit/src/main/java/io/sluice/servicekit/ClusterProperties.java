package io.sluice.servicekit;

import jakarta.validation.constraints.NotNull;
import java.nio.file.Path;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * What every server of a cluster is given.
 *
 * @param secretFile file with the secret from which the tokens of internal calls are made; there is
 *     no mode without one
 */
@Validated
@ConfigurationProperties("sluice.cluster")
record ClusterProperties(
    @NotNull(
            message =
                "is not set; give the file with the cluster secret (./sluice up writes one under"
                    + " its home)")
        Path secretFile) {}
