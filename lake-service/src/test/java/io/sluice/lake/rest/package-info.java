@NullMarked
package io.sluice.lake.rest;

import org.jspecify.annotations.NullMarked;
