package io.sluice.format.batch;

import io.sluice.common.StatisticsColumns;
import io.sluice.common.TableOptions;
import java.util.Map;

/**
 * How the batches of a table are written.
 *
 * @param compression codec and level
 * @param statistics which columns have statistics
 */
public record BatchFormat(CompressionSettings compression, StatisticsColumns statistics) {
  /** As a table's options say. */
  public static BatchFormat ofTable(Map<String, String> options) {
    return new BatchFormat(
        CompressionSettings.ofTable(options).orElse(CompressionSettings.defaults()),
        TableOptions.of(options).statisticsColumns());
  }
}
