/**
 * The Spring pieces every service shares: defaults, problem details, gRPC interceptors, readiness
 * and lifecycle order. Nothing here knows tables, logs or the cluster.
 */
@NullMarked
package io.sluice.servicekit;

import org.jspecify.annotations.NullMarked;
