/** Replicas and the servers that hold them: how they are, and moving them. */
@NullMarked
package io.sluice.cli.replicas;

import org.jspecify.annotations.NullMarked;
