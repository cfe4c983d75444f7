package io.sluice.bench.harness;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * The client process of one product: connects, then carries out one order after the other from
 * standard input and answers each with a line of JSON on standard output. Ends when its input does,
 * so it does not outlive the benchmark.
 */
public final class ClientProcess {
  private ClientProcess() {}

  /**
   * @param arguments the {@code host:port} of the servers
   */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    // Libraries may print; only answers may go where answers are expected.
    System.setOut(System.err);
    ProductConnector connector =
        ServiceLoader.load(ProductConnector.class)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("No product on the class path"));
    ProductClient client = connector.connect(arguments[0]);
    Workloads workloads = new Workloads(client);
    answers.println("{\"ready\":true}");
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      answers.println(answer(workloads, line));
    }
    // A client's threads or shutdown must not keep a finished benchmark waiting.
    Runtime.getRuntime().halt(0);
  }

  private static String answer(Workloads workloads, String line) throws IOException {
    Map<String, Object> answer = new LinkedHashMap<>();
    try {
      workloads.run(Order.parse(line), answer);
    } catch (Exception e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace, true));
      System.err.println("Order '" + line + "' failed: " + trace);
      answer.clear();
      answer.put("error", e.toString());
    }
    return JsonLine.of(answer);
  }
}
