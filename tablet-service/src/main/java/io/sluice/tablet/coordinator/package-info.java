/**
 * This tablet's side of the coordinator: the session that registers the server, keeps it alive and
 * receives the state derived for it, and the client of the metadata service. Knows neither logs nor
 * Spring.
 */
@NullMarked
package io.sluice.tablet.coordinator;

import org.jspecify.annotations.NullMarked;
