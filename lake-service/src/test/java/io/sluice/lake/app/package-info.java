@NullMarked
package io.sluice.lake.app;

import org.jspecify.annotations.NullMarked;
