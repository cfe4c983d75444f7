package io.sluice.tablet.log;

/**
 * Bytes that are not what they should be.
 *
 * @param position where in the file
 * @param expected what should be there
 * @param found what is there
 */
record Damage(long position, String expected, String found) {}
