package io.sluice.coordinator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Who may know whom inside the coordinator. */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.sluice.coordinator");

  @Test
  void springStaysAtTheEdge() {
    noClasses()
        .that()
        .resideOutsideOfPackages("..coordinator.app..", "..coordinator.rest..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.springframework..")
        .check(CLASSES);
  }

  @Test
  void ratisStaysInTheRaftPackage() {
    noClasses()
        .that()
        .resideOutsideOfPackage("..coordinator.raft..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.ratis..")
        .check(CLASSES);
  }

  @Test
  void metadataKnowsNoOtherPackageOfTheCoordinatorAndNoWireFormat() {
    noClasses()
        .that()
        .resideInAPackage("..coordinator.metadata..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "..coordinator.control..",
            "..coordinator.raft..",
            "..coordinator.membership..",
            "io.sluice.protocol..",
            "io.grpc..",
            "com.google.protobuf..")
        .check(CLASSES);
  }

  @Test
  void featuresKnowNeitherApisNorWiring() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "..coordinator.app..", "..coordinator.grpc..", "..coordinator.rest..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("..coordinator.app..", "..coordinator.grpc..", "..coordinator.rest..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAnyPackage("..coordinator.grpc..", "..coordinator.rest..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("..coordinator.app..")
        .check(CLASSES);
  }

  @Test
  void theStateMachineReadsNoClock() {
    classes()
        .that()
        .resideInAPackage("..coordinator.metadata..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java.lang..",
            "java.util..",
            "org.jspecify..",
            "io.sluice.common..",
            "io.sluice.format.schema..",
            "..coordinator.metadata..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage("..coordinator.metadata..")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .check(CLASSES);
  }
}
