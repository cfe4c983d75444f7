package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Fixtures;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommandCodecTest {
  /** One command a line, in hexadecimal; must stay readable. */
  private static final String GOLDEN = "/golden/metadata-commands-v1.txt";

  private static List<Command> commands() {
    return List.of(
        Fixtures.createTable("flights", List.of(List.of(1), List.of(2, 1))),
        Fixtures.createPartitioned("daily", Fixtures.partition("2024-01-01", 1)),
        new Command.AlterTable(1, 0, Fixtures.wider(2), Map.of("b", "2", "a", "1"), "altered"),
        new Command.AlterTable(1, 3, null, Map.of(), ""),
        new Command.CreatePartition(2, Fixtures.partition("a/b=c%", 1), 3000),
        new Command.DropPartition(2, 7),
        new Command.GrantIds(3, 5, 1, 2, 9, 128, Integer.MAX_VALUE),
        new Command.GrantIds(3, 0, 0, 1, 1, 1, Long.MAX_VALUE));
  }

  @Test
  void writesAndReadsTheGoldenCommands() throws IOException {
    StringBuilder written = new StringBuilder();
    for (Command command : commands()) {
      written.append(HexFormat.of().formatHex(CommandCodec.encode(command))).append('\n');
    }
    String golden = golden();
    assertThat(written).hasToString(golden);
    assertThat(golden.lines().map(HexFormat.of()::parseHex).map(CommandCodec::decode))
        .isEqualTo(commands());
  }

  private static String golden() throws IOException {
    try (InputStream in = CommandCodecTest.class.getResourceAsStream(GOLDEN)) {
      assertThat(in).as("stored example " + GOLDEN).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }
}
