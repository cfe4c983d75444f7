package io.sluice.systemtests.process;

import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One service's process at one moment, known by its id and start time, so that signals never reach
 * another process that was given the same id later.
 */
final class ServiceProcess {
  private static final Duration SIGNAL_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);

  private final String name;
  private final ProcessHandle handle;
  private final List<String> command;

  private ServiceProcess(String name, ProcessHandle handle, List<String> command) {
    this.name = name;
    this.handle = handle;
    this.command = command;
  }

  /** The process of this id; fails when there is none. */
  static ServiceProcess of(String name, long pid) {
    ProcessHandle handle =
        ProcessHandle.of(pid)
            .orElseThrow(() -> new AssertionError(name + " has no process with id " + pid));
    return new ServiceProcess(name, handle, command(pid));
  }

  /** Nothing for a process that has just ended, and where the system does not tell. */
  private static List<String> command(long pid) {
    try {
      String words = Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
      return words.isEmpty() ? List.of() : List.of(words.split("\0"));
    } catch (IOException goneOrNoSuchFileSystem) {
      return List.of();
    }
  }

  /** The words it was started with; nothing when they are not known. */
  List<String> command() {
    return command;
  }

  long pid() {
    return handle.pid();
  }

  /** A dead process whose parent has not yet taken notice (a zombie) does not live. */
  boolean alive() {
    if (!handle.isAlive()) {
      return false;
    }
    Path stat = Path.of("/proc", Long.toString(pid()), "stat");
    try {
      String text = Files.readString(stat);
      return "ZX".indexOf(text.charAt(text.lastIndexOf(')') + 2)) < 0;
    } catch (IOException goneOrNoSuchFileSystem) {
      // The process may end between the look for it and the read.
      return handle.isAlive();
    }
  }

  /** Sends SIGKILL and returns when the process is gone. */
  void kill() {
    handle.destroyForcibly();
    Await.until(name + " (pid " + pid() + ") is gone", SIGNAL_TIMEOUT, () -> !alive());
  }

  /** Sends SIGTERM and returns when the process is gone. */
  void terminate() {
    signal("TERM");
    Await.until(name + " (pid " + pid() + ") has stopped", STOP_TIMEOUT, () -> !alive());
  }

  /** Stops the process in its tracks; it keeps its ports and connections. */
  void pause() {
    signal("STOP");
  }

  /** Lets a paused process go on. */
  void resume() {
    signal("CONT");
  }

  private void signal(String signal) {
    if (!alive()) {
      throw new AssertionError(name + " (pid " + pid() + ") is not alive, cannot get SIG" + signal);
    }
    try {
      Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start();
      if (!kill.waitFor(SIGNAL_TIMEOUT.toSeconds(), TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new AssertionError(
            "Cannot send SIG" + signal + " to " + name + " (pid " + pid() + ")");
      }
    } catch (IOException e) {
      throw new AssertionError("Cannot run kill", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted while sending SIG" + signal + " to " + name, e);
    }
  }
}
