package io.sluice.format.batch;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.common.TableOptions;
import java.util.Map;
import java.util.Optional;

/**
 * Which codec a writer uses and how hard it tries.
 *
 * @param codec the codec
 * @param level 1 to 22 for zstd; always 0 for the others, which have no levels here
 */
public record CompressionSettings(BatchCodec codec, int level) {
  /** The level of zstd when none is asked for. */
  public static final int DEFAULT_ZSTD_LEVEL = 1;

  private static final int MAX_ZSTD_LEVEL = TableOptions.MAX_ZSTD_LEVEL;

  public CompressionSettings {
    boolean zstd = codec == BatchCodec.ZSTD;
    if (zstd ? level < 1 || level > MAX_ZSTD_LEVEL : level != 0) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Compression level of "
              + codec
              + " is "
              + level
              + "; it must be "
              + (zstd ? "between 1 and " + MAX_ZSTD_LEVEL : "0"));
    }
  }

  /** The codec at its default level. */
  public static CompressionSettings of(BatchCodec codec) {
    return new CompressionSettings(codec, codec == BatchCodec.ZSTD ? DEFAULT_ZSTD_LEVEL : 0);
  }

  /** What a table's options say, empty when they leave it to the writer. */
  public static Optional<CompressionSettings> ofTable(Map<String, String> options) {
    TableOptions checked = TableOptions.of(options);
    return checked
        .compressionType()
        .map(
            type ->
                switch (type) {
                  case "none" -> of(BatchCodec.NONE);
                  case "zstd" ->
                      new CompressionSettings(
                          BatchCodec.ZSTD, checked.zstdLevel().orElse(DEFAULT_ZSTD_LEVEL));
                  default -> of(BatchCodec.LZ4);
                });
  }

  /** zstd at level 1. */
  public static CompressionSettings defaults() {
    return of(BatchCodec.ZSTD);
  }
}
