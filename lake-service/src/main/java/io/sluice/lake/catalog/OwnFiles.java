package io.sluice.lake.catalog;

import java.nio.file.Path;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a table that is purged: deletes what lies below the table's own location and not in
 * the directory of a Sluice table. A table may name the files of another one, which stay.
 */
final class OwnFiles implements FileIO {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(OwnFiles.class);

  private final FileIO delegate;
  private final transient Locations locations;
  private final transient Path directory;
  private final long tableId;

  /**
   * @param directory the table's location
   * @param tableId the Sluice table it was made for, 0 when it was made by somebody else
   */
  OwnFiles(FileIO delegate, Locations locations, Path directory, long tableId) {
    this.delegate = delegate;
    this.locations = locations;
    this.directory = directory;
    this.tableId = tableId;
  }

  @Override
  public InputFile newInputFile(String location) {
    return delegate.newInputFile(location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return delegate.newOutputFile(location);
  }

  @Override
  public void deleteFile(String location) {
    Path path = locations.path(location);
    long owner = locations.managedId(path);
    if (path.startsWith(directory) && (owner == 0 || owner == tableId)) {
      delegate.deleteFile(location);
    } else {
      LOG.debug("File {} is not of the table in {} and stays", location, directory);
    }
  }
}
