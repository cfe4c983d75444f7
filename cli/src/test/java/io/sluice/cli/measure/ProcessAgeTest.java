package io.sluice.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ProcessAgeTest {
  @Test
  void theStartIsCountedFromThatOfTheMachine() throws IOException {
    String stat = "42 (a) b) S 1 42 42 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 1 0 9950 0 0";

    assertThat(ProcessAge.ageSeconds(stat, "120.25 300.00\n")).isEqualTo(20.75);
  }

  @Test
  void refusesAnythingElse() {
    assertThatThrownBy(() -> ProcessAge.ageSeconds("no such thing", "1 1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Not the form of /proc/PID/stat");
  }

  @Test
  void aProcessThatHasJustBegunIsYoung() throws Exception {
    Process process = new ProcessBuilder("sleep", "20").start();
    try {
      assertThat(ProcessAge.startEpochMs(process.pid()))
          .isCloseTo(System.currentTimeMillis(), Offset.offset(5_000.0));
    } finally {
      process.destroyForcibly();
    }
  }
}
