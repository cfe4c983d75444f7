package io.sluice.adminui.browser;

import io.sluice.testkit.Await;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A headless Chromium with one page. */
final class Chromium implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final Duration WAIT = Duration.ofSeconds(30);

  private final Process process;
  private final DevTools tools;

  private Chromium(Process process, DevTools tools) {
    this.process = process;
    this.tools = tools;
  }

  /** The program: that of the environment variable CHROMIUM, else the first on the path. */
  static Optional<Path> find() {
    String given = System.getenv("CHROMIUM");
    if (given != null) {
      return Optional.of(Path.of(given));
    }
    for (String name : NAMES) {
      for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
        Path program = Path.of(folder, name);
        if (Files.isExecutable(program)) {
          return Optional.of(program);
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Starts one.
   *
   * @param folder for its profile and log
   */
  static Chromium start(Path program, Path folder) throws IOException {
    Path profile = folder.resolve("profile");
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("chromium.log").toFile())
            .start();
    try {
      Path port = profile.resolve("DevToolsActivePort");
      Await.until(
          "Chromium listens (" + folder.resolve("chromium.log") + ")",
          WAIT,
          () -> Files.readAllLines(port).size() == 2);
      List<String> lines = Files.readAllLines(port);
      DevTools tools = DevTools.attach(URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1)));
      Chromium chromium = new Chromium(process, tools);
      tools.call("Page.enable", Map.of());
      tools.call("Runtime.enable", Map.of());
      tools.call("Log.enable", Map.of());
      chromium.size(1280, 800);
      return chromium;
    } catch (RuntimeException | Error failure) {
      process.destroyForcibly();
      throw failure;
    }
  }

  /** Sets the size of the page. */
  void size(int width, int height) {
    tools.call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Goes to an address. */
  void open(URI address) {
    tools.call("Page.navigate", Map.of("url", address.toString()));
  }

  /** The value of an expression, promises awaited. */
  JsonNode evaluate(String expression) {
    JsonNode result =
        tools.call(
            "Runtime.evaluate",
            Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
    if (result.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
    }
    JsonNode value = result.get("result").get("value");
    return value == null ? JsonMapper.shared().nullNode() : value;
  }

  /** The visible text of the page. */
  String text() {
    return text("body");
  }

  /** The visible text of the first element of a selector, empty when there is none. */
  String text(String selector) {
    return evaluate("document.querySelector(" + quoted(selector) + ")?.innerText ?? ''").asString();
  }

  /** How many elements match. */
  int count(String selector) {
    return evaluate("document.querySelectorAll(" + quoted(selector) + ").length").asInt();
  }

  /** Waits until the text of an element contains all of the given. */
  void awaitText(String selector, String... parts) {
    Await.until(
        selector + " shows " + List.of(parts) + "; the page is: " + text(),
        WAIT,
        () -> {
          String text = text(selector);
          return List.of(parts).stream().allMatch(text::contains);
        });
  }

  /** Waits until so many elements match. */
  void awaitCount(String selector, int expected) {
    Await.until(expected + " of " + selector, WAIT, () -> count(selector) == expected);
  }

  /** Clicks the first element of a selector with the mouse, where it is on the page. */
  void click(String selector) {
    Await.until(selector + " is there", WAIT, () -> count(selector) > 0);
    JsonNode middle =
        evaluate(
            "(() => { const e = document.querySelector("
                + quoted(selector)
                + "); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                + " return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()");
    for (String type : List.of("mousePressed", "mouseReleased")) {
      tools.call(
          "Input.dispatchMouseEvent",
          Map.of(
              "type",
              type,
              "x",
              middle.get("x").asDouble(),
              "y",
              middle.get("y").asDouble(),
              "button",
              "left",
              "clickCount",
              1));
    }
  }

  /** Types into the element that has the focus. */
  void type(String text) {
    tools.call("Input.insertText", Map.of("text", text));
  }

  /** What went wrong in the page: exceptions, and errors in its log but failed requests. */
  List<String> errors() {
    List<String> errors = new ArrayList<>();
    for (JsonNode event : tools.events()) {
      String method = event.get("method").asString();
      JsonNode entry = event.get("params").get("entry");
      boolean logged =
          method.equals("Log.entryAdded")
              && entry.get("level").asString().equals("error")
              && !entry.get("source").asString().equals("network");
      if (method.equals("Runtime.exceptionThrown") || logged) {
        errors.add(event.get("params").toString());
      }
    }
    return errors;
  }

  private static String quoted(String text) {
    return JsonMapper.shared().writeValueAsString(text);
  }

  @Override
  public void close() {
    tools.call("Browser.close", Map.of());
    tools.close();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException stopped) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("Interrupted while Chromium ended", stopped));
    }
  }
}
