/**
 * What clients of every kind see of a cluster: ours, Arrow's own Java client, and pyarrow. Each
 * class holds one promise against all clients that it concerns.
 */
@NullMarked
package io.sluice.systemtests.clients;

import org.jspecify.annotations.NullMarked;
