package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.TableBucket;
import io.sluice.coordinator.metadata.Command;
import io.sluice.coordinator.metadata.Fixtures;
import io.sluice.coordinator.metadata.ServerState;
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

  /** Those about servers and replicas. */
  private static final String GOLDEN_REPLICAS = "/golden/metadata-commands-v1-replicas.txt";

  private static List<Command> commandsOfReplicas() {
    List<TableBucket> buckets = List.of(TableBucket.of(1, 0), new TableBucket(2, 7, 3));
    return List.of(
        new Command.RegisterServer(Fixtures.server(1, "inc", "boot", true), 5),
        new Command.RegisterServer(Fixtures.server(1, "inc", "boot", false), 5, true),
        new Command.EndSession(1, "inc"),
        new Command.Leaving(1, "inc"),
        new Command.SetServerState(1, ServerState.ACTIVE),
        new Command.SetServerState(1, ServerState.DRAINING),
        new Command.SetServerState(1, ServerState.DECOMMISSIONED),
        new Command.AlterIsr(
            2,
            List.of(
                new Command.IsrChange(
                    new TableBucket(2, 7, 3),
                    9,
                    4,
                    List.of(new Command.IsrMember(2, ""), new Command.IsrMember(3, "inc"))),
                new Command.IsrChange(TableBucket.of(1, 0), 1, 0, List.of()))),
        new Command.ReplicasOffline(1, "inc", buckets),
        new Command.Reassign(
            List.of(
                new Command.Move(TableBucket.of(1, 0), List.of(3, 1)),
                new Command.Move(new TableBucket(2, 7, 3), List.of(2)))),
        new Command.CancelReassign(buckets),
        new Command.ElectPreferred(buckets),
        new Command.ElectUnclean(new TableBucket(2, 7, 3), 1));
  }

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
    check(commands(), GOLDEN);
    check(commandsOfReplicas(), GOLDEN_REPLICAS);
  }

  private static void check(List<Command> commands, String file) throws IOException {
    StringBuilder written = new StringBuilder();
    for (Command command : commands) {
      written.append(HexFormat.of().formatHex(CommandCodec.encode(command))).append('\n');
    }
    String golden = golden(file);
    assertThat(written).hasToString(golden);
    assertThat(golden.lines().map(HexFormat.of()::parseHex).map(CommandCodec::decode))
        .isEqualTo(commands);
  }

  private static String golden(String file) throws IOException {
    try (InputStream in = CommandCodecTest.class.getResourceAsStream(file)) {
      assertThat(in).as("stored example " + file).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }
}
