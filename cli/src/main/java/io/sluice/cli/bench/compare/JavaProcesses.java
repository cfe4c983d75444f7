package io.sluice.cli.bench.compare;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines of the Java processes of a comparison: the same heap and collector for all. */
final class JavaProcesses {
  /** Heap of every client and of every server that stores rows. */
  static final String HEAP = "2g";

  /** Heap of each server that stores rows, where several do. */
  static final String HEAP_OF_SEVERAL = "1g";

  /** Heap of servers that only keep the books. */
  static final String SMALL_HEAP = "256m";

  /** Arrow needs it; it changes nothing for the others. */
  private static final String OPENS = "--add-opens=java.base/java.nio=ALL-UNNAMED";

  private JavaProcesses() {}

  /**
   * The options that give a process this heap, all of it at its start: a heap that is touched bit
   * by bit costs each product as much as it allocates, in every window until its first collection,
   * and what a page costs depends on the host.
   */
  static List<String> heap(String size) {
    return List.of("-Xms" + size, "-Xmx" + size, "-XX:+AlwaysPreTouch");
  }

  /**
   * A command line.
   *
   * @param classPath jars, or directories of jars when they end with {@code *}
   * @param logging log4j configuration of products that use it
   */
  static List<String> command(
      String heap, String classPath, Path logging, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(heap(heap));
    command.addAll(List.of("-XX:+UseG1GC", OPENS, "-Dfile.encoding=UTF-8"));
    command.add("-Dlog4j2.configurationFile=" + logging);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    return command;
  }
}
