package io.sluice.lake.duck;

/**
 * A column of a result.
 *
 * @param name its name
 * @param type its type in the words of Sluice
 */
public record ResultColumn(String name, String type) {}
