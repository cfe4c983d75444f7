/**
 * The demo: real flights through a real cluster, step by step, and an independent check of the
 * result against the source file.
 */
@NullMarked
package io.sluice.cli.demo;

import org.jspecify.annotations.NullMarked;
