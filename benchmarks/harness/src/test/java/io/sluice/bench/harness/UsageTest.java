package io.sluice.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class UsageTest {
  private static final Offset<Double> EXACT = Offset.offset(1e-9);

  @Test
  void readsTicksWhateverTheNameOfTheProcess() {
    String stat = "42 (a b) c) S 1 1 1 0 -1 4194304 100 0 0 0 250 150 0 0 20 0 1 0 5 6 7";
    assertThat(Usage.processSeconds(stat)).isEqualTo(4.0);
  }

  @Test
  void countsProgramsOfTheWholeMachineButNotIdleTime() {
    assertThat(Usage.machineSeconds("cpu  100 20 30 99999 50 0 1 2 0 0\ncpu0 1 2 3\n"))
        .isEqualTo(1.5);
  }

  @Test
  void readsTheLoopbackInterface() {
    List<String> lines =
        List.of("Inter-| Receive", "  eth0: 5 1 0", "    lo: 12345 9 0 0 0 0 0 0 12345 9");
    assertThat(Usage.loopbackBytes(lines)).isEqualTo(12_345);
    assertThat(Usage.loopbackBytes(List.of("  eth0: 5 1 0"))).isZero();
  }

  @Test
  void stretchesAddUpAndTheRestOfTheMachineIsWhatNobodyElseUsed() {
    Usage first = new Usage(0, 1, 2, 10, 0);
    Usage second = new Usage(500_000_000, 2, 2.5, 12, 1_000);
    Usage third = new Usage(3_000_000_000L, 5, 5, 20, 5_000);
    Usage fourth = new Usage(3_500_000_000L, 6, 5.5, 21.5, 6_000);
    Map<String, Object> answer = new LinkedHashMap<>();

    new UsageSum().add(first, second).add(third, fourth).report(1_000, answer);

    assertThat(answer).containsEntry("rows", 1_000L).containsEntry("seconds", 1.0);
    assertThat((Double) answer.get("rows_per_s")).isEqualTo(1_000, EXACT);
    assertThat((Double) answer.get("client_cpu_s_per_million_rows")).isEqualTo(2_000, EXACT);
    assertThat((Double) answer.get("server_cpu_s_per_million_rows")).isEqualTo(1_000, EXACT);
    assertThat((Double) answer.get("other_cores")).isEqualTo(0.5, EXACT);
    assertThat((Double) answer.get("wire_bytes_per_row")).isEqualTo(2, EXACT);
  }

  @Test
  void thisMachineCanBeRead() throws IOException {
    Usage now = Usage.now(new int[] {(int) ProcessHandle.current().pid()});
    assertThat(now.client()).isPositive();
    assertThat(now.servers()).isPositive();
    assertThat(now.machine()).isGreaterThanOrEqualTo(now.client());
  }
}
