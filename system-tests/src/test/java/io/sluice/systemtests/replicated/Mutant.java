package io.sluice.systemtests.replicated;

import io.sluice.systemtests.architecture.RepositoryRoot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * One rule of replication broken on purpose: a main class compiled with a statement at the
 * beginning of one of its methods. Tablets run it through {@link MutantAgent}.
 *
 * @param source the class below {@code tablet-service/src/main/java}
 * @param method declaration of the method up to its opening parenthesis
 * @param statement what the method does before anything else
 */
record Mutant(String source, String method, String statement) {
  private static final String RULES = "io/sluice/tablet/replication/";

  /** A leader takes for committed whatever it has itself. */
  static Mutant commitsAlone() {
    return new Mutant(
        RULES + "IsrTracker.java",
        "private void advance(",
        "if (true) { committed = Math.max(committed, logEnd); return; }");
  }

  /** A leader never tells a follower that their logs part. */
  static Mutant neverDiverges() {
    return new Mutant(
        RULES + "FetchDecision.java",
        "static FetchDecision of(",
        "if (true) { return new Agrees(); }");
  }

  /** A leader answers lookups whether or not another one may lead by now. */
  static Mutant leaseForEver() {
    return new Mutant(
        RULES + "IsrTracker.java", "public boolean hasLease(", "if (true) { return true; }");
  }

  /** Compiles the class and returns the Java option that makes a tablet run it. */
  String javaOption(Path work) {
    try {
      Path jar = work.resolve("mutant.jar");
      pack(compile(work), jar);
      return "-javaagent:" + jar;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot make " + this, e);
    }
  }

  /** The source with the statement; fails when there is no such method, or more than one. */
  String changedSource() throws IOException {
    String text =
        Files.readString(
            RepositoryRoot.find().resolve("tablet-service/src/main/java").resolve(source));
    int declaration = text.indexOf(method);
    if (declaration < 0 || text.indexOf(method, declaration + 1) >= 0) {
      throw new AssertionError(source + " must have '" + method + "' once; change the mutant");
    }
    int body = text.indexOf('{', declaration) + 1;
    return text.substring(0, body) + "\n" + statement + text.substring(body);
  }

  private Path compile(Path work) throws IOException {
    Path file = work.resolve("mutant-source").resolve(source);
    Files.createDirectories(file.getParent());
    Files.writeString(file, changedSource());
    Path classes = Files.createDirectories(work.resolve("mutant-classes"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new AssertionError("This Java has no compiler");
    }
    List<String> options =
        List.of(
            "-proc:none",
            "-nowarn",
            "-d",
            classes.toString(),
            "-cp",
            System.getProperty("java.class.path"));
    boolean compiled =
        compiler
            .getTask(
                null,
                null,
                null,
                options,
                null,
                compiler.getStandardFileManager(null, null, null).getJavaFileObjects(file.toFile()))
            .call();
    if (!compiled) {
      throw new AssertionError("Cannot compile " + this);
    }
    return classes;
  }

  private static void pack(Path classes, Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", MutantAgent.class.getName());
    String agent = MutantAgent.class.getName().replace('.', '/') + ".class";
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest);
        InputStream agentClass = MutantAgent.class.getResourceAsStream("/" + agent)) {
      out.putNextEntry(new JarEntry(agent));
      agentClass.transferTo(out);
      for (Path changed : files(classes)) {
        out.putNextEntry(new JarEntry(MutantAgent.FOLDER + classes.relativize(changed)));
        Files.copy(changed, out);
      }
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return new ArrayList<>(all.filter(Files::isRegularFile).toList());
    }
  }
}
