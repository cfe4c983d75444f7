@NullMarked
package io.sluice.tablet.replication.checkpoint;

import org.jspecify.annotations.NullMarked;
