package io.sluice.systemtests.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** House rules that a look at the files can hold. */
final class RepositoryTest {
  private static final int LONGEST_FILE = 500;
  private static final Pattern SLEEP = Pattern.compile("\\b(Thread|TimeUnit\\.\\w+)\\.sleep\\(");
  private static final Pattern LOOSE_TYPE = Pattern.compile("(:|\\bas)\\s*any\\b|@ts-ignore");
  private static final Set<String> GENERATED =
      Set.of("target", ".git", ".sluice", "node_modules", "dist");

  // Spelled so that this file does not hold what it looks for.
  private static final Pattern UNFINISHED =
      Pattern.compile("\\b(TO" + "DO|FIX" + "ME|X" + "XX)\\b");

  private final Path root = RepositoryRoot.find();

  @Test
  void noMainFileIsLongerThanFiveHundredLines() {
    List<String> tooLong = new ArrayList<>();
    for (Path file : sources("main", ".java")) {
      int lines = read(file).split("\n", -1).length - 1;
      if (lines > LONGEST_FILE) {
        tooLong.add(root.relativize(file) + ": " + lines + " lines");
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void everyMainPackageSaysWhatLivesThereAndIsNullMarked() {
    Map<Path, String> packages = new TreeMap<>();
    for (Path file : sources("main", ".java")) {
      packages.putIfAbsent(file.getParent(), "");
      if (file.endsWith("package-info.java")) {
        packages.put(file.getParent(), read(file));
      }
    }
    assertThat(packages).hasSizeGreaterThan(20);
    assertThat(packages)
        .allSatisfy(
            (path, info) ->
                assertThat(info)
                    .as("package-info.java of %s", root.relativize(path))
                    .startsWith("/**")
                    .contains("@NullMarked"));
  }

  @Test
  void testsWaitForConditionsAndNeverSleep() {
    assertThat(linesWith(SLEEP, sources("test", ".java"))).isEmpty();
  }

  @Test
  void nothingIsLeftForLater() {
    List<Path> files = new ArrayList<>(sources("main", ""));
    files.addAll(sources("test", ""));
    files.addAll(shellScripts());
    files.addAll(consoleSources());
    assertThat(linesWith(UNFINISHED, files)).isEmpty();
  }

  @Test
  void theConsoleIsStrictlyTyped() {
    assertThat(read(root.resolve("admin-ui/ui/tsconfig.json"))).contains("\"strict\": true");
    assertThat(linesWith(LOOSE_TYPE, consoleSources())).isEmpty();
  }

  /** Where this is no checkout (an unpacked archive) there is nothing to look at. */
  @Test
  void nothingThatABuildMakesIsUnderVersionControl(@TempDir Path dir) throws Exception {
    Assumptions.assumeTrue(Files.exists(root.resolve(".git")), "not a git checkout");
    Path output = dir.resolve("output");
    Process git =
        new ProcessBuilder("git", "-C", root.toString(), "ls-files")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(git.waitFor(20, TimeUnit.SECONDS)).isTrue();
    Assumptions.assumeTrue(git.exitValue() == 0, "git cannot list the files");
    List<String> tracked = read(output).lines().toList();
    assertThat(tracked).hasSizeGreaterThan(100);
    assertThat(tracked)
        .filteredOn(file -> isGenerated(Path.of(file)) || file.endsWith(".class"))
        .isEmpty();
  }

  @Test
  void shellScriptsParse(@TempDir Path dir) throws Exception {
    for (Path script : shellScripts()) {
      Path output = dir.resolve("output");
      Process bash =
          new ProcessBuilder("bash", "-n", script.toString())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      assertThat(bash.waitFor(20, TimeUnit.SECONDS)).as("bash -n %s ends", script).isTrue();
      assertThat(bash.exitValue()).as("bash -n %s: %s", script, read(output)).isZero();
    }
  }

  @Test
  void theLauncherAndTheCiScriptCanBeExecuted() {
    assertThat(root.resolve("sluice")).isExecutable();
    assertThat(root.resolve(".ci/run")).isExecutable();
  }

  @Test
  void theRulesSeeWhatTheyLookFor() {
    assertThat(SLEEP.matcher("    Thread." + "sleep(10);").find()).isTrue();
    assertThat(SLEEP.matcher("    TimeUnit.SECONDS." + "sleep(1);").find()).isTrue();
    assertThat(UNFINISHED.matcher("// TO" + "DO later").find()).isTrue();
    assertThat(UNFINISHED.matcher("methodOfTodoList").find()).isFalse();
    assertThat(LOOSE_TYPE.matcher("const x: any = 1").find()).isTrue();
    assertThat(LOOSE_TYPE.matcher("(x as any).y").find()).isTrue();
    assertThat(LOOSE_TYPE.matcher("has any: no").find()).isFalse();
  }

  private List<String> linesWith(Pattern pattern, List<Path> files) {
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      String[] lines = read(file).split("\n", -1);
      for (int i = 0; i < lines.length; i++) {
        if (pattern.matcher(lines[i]).find()) {
          found.add(root.relativize(file) + ":" + (i + 1) + ": " + lines[i].strip());
        }
      }
    }
    return found;
  }

  /** Text files below {@code src/kind} of every module. */
  private List<Path> sources(String kind, String suffix) {
    List<Path> files = new ArrayList<>();
    for (Path module : modules()) {
      Path folder = module.resolve("src").resolve(kind);
      if (Files.isDirectory(folder)) {
        files.addAll(filesBelow(folder, suffix));
      }
    }
    files.removeIf(file -> !isText(file));
    return files;
  }

  private List<Path> modules() {
    List<Path> modules = new ArrayList<>();
    for (Path pom : filesBelow(root, "pom.xml")) {
      modules.add(pom.getParent());
    }
    assertThat(modules).hasSizeGreaterThan(10);
    return modules;
  }

  private List<Path> shellScripts() {
    List<Path> scripts = new ArrayList<>(filesBelow(root.resolve("launcher"), ".sh"));
    scripts.add(root.resolve("sluice"));
    scripts.add(root.resolve(".ci/run"));
    assertThat(scripts).hasSizeGreaterThan(5);
    return scripts;
  }

  /** TypeScript, styles and pages of the console. */
  private List<Path> consoleSources() {
    List<Path> files = new ArrayList<>(filesBelow(root.resolve("admin-ui/ui/src"), ""));
    files.removeIf(
        file -> Stream.of(".ts", ".tsx", ".css", ".html").noneMatch(file.toString()::endsWith));
    assertThat(files).hasSizeGreaterThan(5);
    return files;
  }

  private List<Path> filesBelow(Path folder, String suffix) {
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) {
              return isGenerated(root.relativize(path))
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (attributes.isRegularFile() && file.getFileName().toString().endsWith(suffix)) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot list " + folder, e);
    }
    found.sort(null);
    return found;
  }

  private static boolean isGenerated(Path relative) {
    for (Path part : relative) {
      if (GENERATED.contains(part.toString())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isText(Path file) {
    String name = file.getFileName().toString();
    return Stream.of(".java", ".proto", ".yaml", ".yml", ".xml", ".properties", ".sql", ".md")
        .anyMatch(name::endsWith);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + file, e);
    }
  }
}
