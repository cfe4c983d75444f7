/**
 * How the replicas of a bucket stay the same log. The rules are pure: they read no clock, do no I/O
 * and hold no lock, so that the simulation in the system tests drives the very same classes.
 */
@NullMarked
package io.sluice.tablet.replication;

import org.jspecify.annotations.NullMarked;
