/** The console as a Spring Boot application: settings and wiring. No logic of its own. */
@NullMarked
package io.sluice.adminui.app;

import org.jspecify.annotations.NullMarked;
