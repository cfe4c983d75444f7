@NullMarked
package io.sluice.tablet.kv.merge;

import org.jspecify.annotations.NullMarked;
