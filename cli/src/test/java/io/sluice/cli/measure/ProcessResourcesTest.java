package io.sluice.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessResourcesTest {
  @Test
  void readsKibibytes() throws IOException {
    assertThat(
            ProcessResources.parseResidentBytes(
                List.of("Name:\tjava", "VmHWM:\t   99 kB", "VmRSS:\t  2048 kB")))
        .isEqualTo(2_097_152);
    assertThatThrownBy(() -> ProcessResources.parseResidentBytes(List.of("Name:\tkworker")))
        .hasMessageContaining("VmRSS");
  }

  @Test
  void thisProcessHasMemoryAndFiles() throws IOException {
    ProcessResources self = ProcessResources.of(ProcessHandle.current().pid());
    assertThat(self.residentBytes()).isGreaterThan(1_000_000);
    assertThat(self.openFiles()).isPositive();
  }
}
