/** Moving replicas between tablet servers: what a better distribution is, and getting there. */
@NullMarked
package io.sluice.coordinator.balance;

import org.jspecify.annotations.NullMarked;
