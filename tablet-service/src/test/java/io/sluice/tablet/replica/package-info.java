/** Tests of replicas and their roles. */
@NullMarked
package io.sluice.tablet.replica;

import org.jspecify.annotations.NullMarked;
