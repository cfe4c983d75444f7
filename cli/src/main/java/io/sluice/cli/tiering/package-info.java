/** {@code sluice tiering}: the tiering queue as the coordinator tells it. */
@NullMarked
package io.sluice.cli.tiering;

import org.jspecify.annotations.NullMarked;
