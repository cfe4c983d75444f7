/**
 * What a round says to lake-service: prepare, commit, resolve. A commit without an answer is never
 * taken for a failure here.
 */
@NullMarked
package io.sluice.tiering.commit;

import org.jspecify.annotations.NullMarked;
