package io.sluice.lake.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the private memory of this process by the operating system. The query engine is native
 * code, and some of its functions allocate without looking at its own limit; with the bound such a
 * query fails with QUERY_LIMIT_EXCEEDED where it would else take the memory of the whole machine,
 * and of the tablets on it.
 */
final class ProcessMemory {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessMemory.class);
  private static final long WAIT_SECONDS = 5;

  private ProcessMemory() {}

  /** Sets the bound where the system can; says so in the log where it cannot. */
  static void limit(long bytes) {
    try {
      Process process =
          new ProcessBuilder(
                  "prlimit",
                  "--pid=" + ProcessHandle.current().pid(),
                  "--data=" + bytes + ":" + bytes)
              .redirectErrorStream(true)
              .start();
      process.getOutputStream().close();
      boolean ended = process.waitFor(WAIT_SECONDS, TimeUnit.SECONDS);
      if (ended && process.exitValue() == 0) {
        LOG.info("This process may have {} MiB of memory of its own", bytes >> 20);
        return;
      }
      String said =
          ended
              ? new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip()
              : "no answer";
      process.destroyForcibly();
      LOG.info("The memory of this process is not bounded by the system (prlimit: {})", said);
    } catch (IOException e) {
      LOG.info("The memory of this process is not bounded by the system: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
