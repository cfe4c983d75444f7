/**
 * Tiering, the lake and SQL over the real services: the clusters of these tests, what must hold of
 * a lake table at every moment, stock lake clients, and faults at every step of a round.
 */
@NullMarked
package io.sluice.systemtests.lake;

import org.jspecify.annotations.NullMarked;
