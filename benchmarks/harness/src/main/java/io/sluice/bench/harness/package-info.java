/**
 * The client process of a benchmark: it takes orders by lines, drives one product through {@link
 * io.sluice.bench.harness.ProductClient} and answers with lines of JSON. Also the generated rows
 * that all products get. Depends on the JDK only, so that it can stand beside any product's
 * libraries.
 */
@NullMarked
package io.sluice.bench.harness;

import org.jspecify.annotations.NullMarked;
