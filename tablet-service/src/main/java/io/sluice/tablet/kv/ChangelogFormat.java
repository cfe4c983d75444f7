package io.sluice.tablet.kv;

import io.sluice.common.StatisticsColumns;
import io.sluice.common.TableOptions;
import io.sluice.format.batch.CompressionSettings;
import java.util.Map;

/**
 * How the batches of a changelog are written.
 *
 * @param compression codec and level
 * @param statistics which columns have statistics
 */
public record ChangelogFormat(CompressionSettings compression, StatisticsColumns statistics) {
  /** As a table's options say. */
  public static ChangelogFormat ofTable(Map<String, String> options) {
    return new ChangelogFormat(
        CompressionSettings.ofTable(options).orElse(CompressionSettings.defaults()),
        TableOptions.of(options).statisticsColumns());
  }
}
