/**
 * What starts the services, held against the services: the files of {@code compose/} and the
 * arguments of the launcher. Nothing is started here.
 */
@NullMarked
package io.sluice.systemtests.deployment;

import org.jspecify.annotations.NullMarked;
