/**
 * The console over HTTP: its pages, what is passed on to the services and what is refused. Holds no
 * state; knows nothing of what the answers mean.
 */
@NullMarked
package io.sluice.adminui.web;

import org.jspecify.annotations.NullMarked;
