/**
 * The public Java client: connections, administration, append and upsert writers, lookupers and
 * scanners. What is not here is in {@code internal}, which applications must not use. No Spring, no
 * server code.
 */
@NullMarked
package io.sluice.client;

import org.jspecify.annotations.NullMarked;
