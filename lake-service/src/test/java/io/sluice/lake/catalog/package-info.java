@NullMarked
package io.sluice.lake.catalog;

import org.jspecify.annotations.NullMarked;
