package io.sluice.lake.union;

import org.apache.iceberg.types.Type;

/**
 * A column of a lake table.
 *
 * @param fieldId its Iceberg field id, which for a user's column is the Sluice column id
 * @param name its name in the lake
 * @param type its type in the lake
 */
public record LakeColumn(int fieldId, String name, Type type) {}
