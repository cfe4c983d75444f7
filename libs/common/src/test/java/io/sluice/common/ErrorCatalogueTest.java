package io.sluice.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of {@code docs/errors.md} against the codes. */
class ErrorCatalogueTest {
  private static final Path PAGE = Path.of("../../docs/errors.md");
  private static final Pattern ROW =
      Pattern.compile(
          "\\| `([A-Z_]+)` \\| ([A-Z_]+) \\| (\\d+) \\| (yes|no) \\| (.+) \\| (.+) \\|");

  /** What the page says of a code. */
  private record Entry(String grpcStatus, int httpStatus, boolean retriable) {}

  @Test
  void everyCodeIsDocumentedAsItIs() throws IOException {
    Map<String, Entry> expected = new LinkedHashMap<>();
    Stream.of(ErrorCode.values())
        .forEach(
            code ->
                expected.put(
                    code.name(),
                    new Entry(code.grpcStatus(), code.httpStatus(), code.retriable())));
    assertThat(documented()).containsExactlyEntriesOf(expected);
  }

  private static Map<String, Entry> documented() throws IOException {
    Map<String, Entry> entries = new LinkedHashMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        entries.put(
            row.group(1),
            new Entry(row.group(2), Integer.parseInt(row.group(3)), row.group(4).equals("yes")));
      }
    }
    return entries;
  }
}
