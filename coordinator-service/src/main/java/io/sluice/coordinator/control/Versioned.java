package io.sluice.coordinator.control;

import io.sluice.coordinator.metadata.MetadataImage;

/**
 * A value and the image it was found in.
 *
 * @param image the image, for its index and for what belongs to the value
 * @param value the value
 */
public record Versioned<T>(MetadataImage image, T value) {}
