package io.sluice.cli.bench.sluice;

import io.sluice.bench.harness.RowTarget;
import io.sluice.client.RowAppender;

/**
 * Sets the columns of a row that a writer of the Java client collects.
 *
 * @param row ended by whoever began it
 */
public record AppenderTarget(RowAppender row) implements RowTarget {
  @Override
  public void setInt(int position, int value) {
    row.setInt(position, value);
  }

  @Override
  public void setLong(int position, long value) {
    row.setLong(position, value);
  }

  @Override
  public void setString(int position, String value) {
    row.setString(position, value);
  }

  @Override
  public void setBytes(int position, byte[] value) {
    row.setBytes(position, value);
  }
}
