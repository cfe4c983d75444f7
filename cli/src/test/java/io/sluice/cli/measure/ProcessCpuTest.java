package io.sluice.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProcessCpuTest {
  @Test
  void addsUserAndSystemTimeWhateverTheCommandIsCalled() throws IOException {
    String stat = "42 (a) b (c) S 1 42 42 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 1 0 99 0 0";

    assertThat(ProcessCpu.parseSeconds(stat)).isEqualTo(2.0);
  }

  @Test
  void refusesAnythingElse() {
    assertThatThrownBy(() -> ProcessCpu.parseSeconds("no such thing"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Not the form of /proc/PID/stat");
  }

  @Test
  void thisProcessHasUsedSome() throws IOException {
    assertThat(ProcessCpu.ofSelf().seconds()).isPositive();
  }
}
