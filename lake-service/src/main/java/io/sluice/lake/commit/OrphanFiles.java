package io.sluice.lake.commit;

import io.sluice.lake.catalog.Locations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;

/**
 * Counts files under a table's data folder that no snapshot names and that are old enough not to
 * belong to a round under way. Counts only; nothing is removed here.
 */
final class OrphanFiles {
  /** A round ends long before; so does a commit whose outcome is unknown. */
  static final Duration GRACE = Duration.ofHours(24);

  private OrphanFiles() {}

  /**
   * @param nowMs the time, epoch milliseconds
   */
  static long count(LakeTables.Loaded loaded, Locations locations, long nowMs) {
    TableMetadata metadata = loaded.metadata();
    Path data = locations.path(metadata.location()).resolve("data");
    Set<Path> old = oldFiles(data, nowMs - GRACE.toMillis());
    Set<String> seen = new HashSet<>();
    for (Snapshot snapshot : metadata.snapshots()) {
      if (old.isEmpty()) {
        break;
      }
      for (ManifestFile manifest : snapshot.dataManifests(loaded.operations().io())) {
        if (seen.add(manifest.path())) {
          removeNamed(loaded, locations, manifest, old);
        }
      }
    }
    return old.size();
  }

  private static void removeNamed(
      LakeTables.Loaded loaded, Locations locations, ManifestFile manifest, Set<Path> old) {
    try (ManifestReader<DataFile> reader =
        ManifestFiles.read(manifest, loaded.operations().io(), loaded.metadata().specsById())) {
      for (DataFile file : reader) {
        old.remove(locations.path(file.location()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read manifest " + manifest.path(), e);
    }
  }

  private static Set<Path> oldFiles(Path data, long beforeMs) {
    Set<Path> old = new HashSet<>();
    if (!Files.isDirectory(data)) {
      return old;
    }
    try {
      Files.walkFileTree(
          data,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              if (attributes.lastModifiedTime().toMillis() < beforeMs) {
                old.add(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              // Removed by its worker while we walk.
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot list " + data, e);
    }
    return old;
  }
}
