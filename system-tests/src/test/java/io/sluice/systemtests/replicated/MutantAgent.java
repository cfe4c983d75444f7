package io.sluice.systemtests.replicated;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * A Java agent that gives a service other bytes for the classes of a {@link Mutant} in the place of
 * those in its jars. It is alone in its jar: it uses nothing but the JDK.
 */
public final class MutantAgent implements ClassFileTransformer {
  /** Folder of the changed classes in the agent's jar. */
  static final String FOLDER = "mutants/";

  private MutantAgent() {}

  /** Called by the JVM before the service's main method. */
  public static void premain(String argument, Instrumentation instrumentation) {
    instrumentation.addTransformer(new MutantAgent());
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] bytes) {
    try (InputStream changed =
        MutantAgent.class.getResourceAsStream("/" + FOLDER + className + ".class")) {
      return changed == null ? null : changed.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the changed " + className, e);
    }
  }
}
