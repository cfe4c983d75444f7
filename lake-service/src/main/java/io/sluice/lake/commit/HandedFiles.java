package io.sluice.lake.commit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.common.ErrorCode;
import io.sluice.lake.catalog.Locations;
import io.sluice.lake.commit.LakeOffsets.Bucket;
import io.sluice.protocol.lake.v1.CommitRoundRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.exceptions.BadRequestException;

/**
 * Checks what a worker hands over before the lake relies on it: each file lies where its round puts
 * files, is whole, holds as many rows as offsets, says the partition of its bucket, and the files
 * of a bucket fill the range of the round without a gap. What is accepted is on disk.
 */
final class HandedFiles {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] PARQUET = "PAR1".getBytes(StandardCharsets.US_ASCII);

  private final Locations locations;
  private final String roundLocation;
  private final PartitionSpec spec;
  private final int bucketCount;

  /**
   * @param roundLocation location of the round's directory
   * @param spec the table's partition spec
   * @param bucketCount buckets of the table
   */
  HandedFiles(Locations locations, String roundLocation, PartitionSpec spec, int bucketCount) {
    this.locations = locations;
    this.roundLocation = roundLocation;
    this.spec = spec;
    this.bucketCount = bucketCount;
  }

  private record Range(long start, long end, String path) {}

  /**
   * The files of the request.
   *
   * @throws RoundRefusedException naming file and values
   */
  List<DataFile> check(CommitRoundRequest request, LakeOffsets start, LakeOffsets end) {
    Map<Bucket, List<Range>> ranges = new TreeMap<>();
    List<DataFile> files = new ArrayList<>(request.getFilesCount());
    for (io.sluice.protocol.lake.v1.DataFile handed : request.getFilesList()) {
      DataFile file = parse(handed);
      Bucket bucket = bucket(handed, file);
      checkPlace(handed, file);
      checkRows(handed, file);
      checkBytes(file);
      ranges
          .computeIfAbsent(bucket, each -> new ArrayList<>())
          .add(new Range(handed.getStartOffset(), handed.getEndOffset(), file.location()));
      files.add(file);
    }
    checkRanges(ranges, start, end);
    if (!files.isEmpty()) {
      force(locations.path(roundLocation));
    }
    return files;
  }

  private DataFile parse(io.sluice.protocol.lake.v1.DataFile handed) {
    ContentFile<?> content;
    try {
      content = ContentFileParser.fromJson(JSON.readTree(handed.getJson()), spec);
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw refused("A file of the round cannot be read (" + e.getMessage() + "): " + handed);
    }
    if (!(content instanceof DataFile file)) {
      throw refused("File " + content.location() + " is not a data file");
    }
    if (file.format() != FileFormat.PARQUET || file.specId() != spec.specId()) {
      throw refused(
          "File "
              + file.location()
              + " has format "
              + file.format()
              + " and spec "
              + file.specId()
              + "; expected PARQUET and spec "
              + spec.specId());
    }
    return file;
  }

  private Bucket bucket(io.sluice.protocol.lake.v1.DataFile handed, DataFile file) {
    int bucket = handed.getBucket();
    if (handed.getPartitionId() != 0 || bucket < 0 || bucket >= bucketCount) {
      throw refused(
          "File "
              + file.location()
              + " is of bucket "
              + handed.getPartitionId()
              + "-"
              + bucket
              + "; the table has the buckets 0-0 to 0-"
              + (bucketCount - 1));
    }
    Integer value = file.partition().get(0, Integer.class);
    if (value == null || value != bucket) {
      throw refused(
          "File " + file.location() + " has the partition value " + value + "; expected " + bucket);
    }
    return new Bucket(handed.getPartitionId(), bucket);
  }

  private void checkPlace(io.sluice.protocol.lake.v1.DataFile handed, DataFile file) {
    String name =
        handed.getPartitionId()
            + "-"
            + handed.getBucket()
            + "-"
            + handed.getStartOffset()
            + ".parquet";
    String expected = roundLocation + "/" + name;
    if (!file.location().equals(expected)) {
      throw refused("File " + file.location() + " is not where the round puts it, " + expected);
    }
  }

  private static void checkRows(io.sluice.protocol.lake.v1.DataFile handed, DataFile file) {
    long offsets = handed.getEndOffset() - handed.getStartOffset();
    if (handed.getStartOffset() < 0 || offsets <= 0 || file.recordCount() != offsets) {
      throw refused(
          "File "
              + file.location()
              + " has "
              + file.recordCount()
              + " rows for the offsets "
              + handed.getStartOffset()
              + " to "
              + handed.getEndOffset());
    }
  }

  /** Length and both ends are as they should be, and the file is on disk. */
  private void checkBytes(DataFile file) {
    Path path;
    try {
      path = locations.path(file.location());
    } catch (BadRequestException outside) {
      throw refused(String.valueOf(outside.getMessage()));
    }
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      long length = channel.size();
      if (length != file.fileSizeInBytes()) {
        throw refused(
            "File "
                + file.location()
                + " has "
                + length
                + " bytes; the worker wrote "
                + file.fileSizeInBytes());
      }
      if (!isMagic(channel, 0) || !isMagic(channel, length - PARQUET.length)) {
        throw refused("File " + file.location() + " is not a whole Parquet file");
      }
      channel.force(true);
    } catch (NoSuchFileException e) {
      throw refused("File " + file.location() + " does not exist");
    } catch (IOException e) {
      throw new org.apache.iceberg.exceptions.RuntimeIOException(
          e, "Cannot check %s", file.location());
    }
  }

  private static boolean isMagic(FileChannel channel, long position) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(PARQUET.length);
    if (position < 0 || channel.read(bytes, position) != PARQUET.length) {
      return false;
    }
    return java.util.Arrays.equals(bytes.array(), PARQUET);
  }

  private static void checkRanges(
      Map<Bucket, List<Range>> ranges, LakeOffsets start, LakeOffsets end) {
    end.asMap()
        .forEach(
            (bucket, offset) -> fill(bucket, start.offset(bucket), offset, ranges.remove(bucket)));
    ranges.forEach(
        (bucket, left) -> {
          throw refused(
              "File "
                  + left.get(0).path()
                  + " is of bucket "
                  + bucket
                  + ", which the round does not move");
        });
  }

  private static void fill(
      Bucket bucket, long start, long end, @org.jspecify.annotations.Nullable List<Range> handed) {
    List<Range> ranges = handed == null ? List.of() : new ArrayList<>(handed);
    long next = start;
    for (Range range : ranges.stream().sorted(Comparator.comparingLong(Range::start)).toList()) {
      if (range.start() != next) {
        throw refused(
            "File "
                + range.path()
                + " starts at offset "
                + range.start()
                + "; bucket "
                + bucket
                + " is filled up to "
                + next);
      }
      next = range.end();
    }
    if (next != end) {
      throw refused(
          "The files of bucket "
              + bucket
              + " hold the offsets "
              + start
              + " to "
              + next
              + "; the round says "
              + start
              + " to "
              + end);
    }
  }

  private static void force(Path directory) {
    Path parent = directory.getParent();
    try (FileChannel files = FileChannel.open(directory, StandardOpenOption.READ);
        FileChannel rounds =
            FileChannel.open(parent == null ? directory : parent, StandardOpenOption.READ)) {
      files.force(true);
      rounds.force(true);
    } catch (IOException e) {
      throw new org.apache.iceberg.exceptions.RuntimeIOException(e, "Cannot force %s", directory);
    }
  }

  private static RoundRefusedException refused(String message) {
    return new RoundRefusedException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
