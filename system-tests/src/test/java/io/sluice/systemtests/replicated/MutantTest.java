package io.sluice.systemtests.replicated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mutants are made from the classes as they are, so a change of those shows here at once. */
final class MutantTest {
  @Test
  void everyMutantCompiles(@TempDir Path dir) throws Exception {
    for (Mutant mutant :
        new Mutant[] {Mutant.commitsAlone(), Mutant.neverDiverges(), Mutant.leaseForEver()}) {
      String option = mutant.javaOption(dir.resolve(mutant.method().replace(' ', '-')));
      try (JarFile jar = new JarFile(option.substring("-javaagent:".length()))) {
        assertThat(jar.getManifest().getMainAttributes().getValue("Premain-Class"))
            .isEqualTo(MutantAgent.class.getName());
        assertThat(jar.getEntry(MutantAgent.FOLDER + mutant.source().replace(".java", ".class")))
            .isNotNull();
      }
    }
  }

  @Test
  void mutantOfAMethodThatIsGoneSaysSo() {
    Mutant mutant =
        new Mutant("io/sluice/tablet/replication/Truncation.java", "void gone(", "return;");
    assertThatThrownBy(mutant::changedSource)
        .hasMessageContaining("must have 'void gone(' once; change the mutant");
  }
}
