package io.sluice.tablet.log;

import io.sluice.common.SluiceException;
import io.sluice.common.TableBucket;
import io.sluice.format.batch.LogBatchHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a log's directory after any kind of stop.
 *
 * <p>Everything below the recovery point was forced to disk: damage there is corruption and the log
 * does not open. Above it every batch is checked in full and the log is cut at the first bad one,
 * whatever follows. The recovery point is the saved one or the end of the last segment with a good
 * index file, as those are written only after their segment was forced. A log that was closed in
 * order has an index file for its active segment too and needs no scan.
 */
final class LogRecovery {
  private static final Logger log = LoggerFactory.getLogger(LogRecovery.class);

  private final LogContext context;
  private final FileOpener opener;
  private final LogPath path;
  private final TableBucket bucket;
  private final LeaderEpochs epochs;
  private final WriterSnapshots snapshots;
  private final List<LogSegment> segments = new ArrayList<>();
  private long forced;
  private int lastEpoch = Integer.MIN_VALUE;
  private boolean walkAll;
  private boolean cut;

  LogRecovery(LogContext context, LogPath path, TableBucket bucket, long recoveryPoint) {
    this.context = context;
    this.opener = context.platform().files();
    this.path = path;
    this.bucket = bucket;
    this.forced = recoveryPoint;
    this.epochs = new LeaderEpochs(opener, path);
    this.snapshots = new WriterSnapshots(opener, path);
  }

  LogState recover() throws IOException {
    List<Long> bases = listSegments();
    proveForced();
    if (bases.isEmpty()) {
      createFirst();
    } else {
      loadEpochs();
      openSegments(bases);
    }
    long end = segments.get(segments.size() - 1).endOffset();
    boolean shortened = epochs.cutTo(end);
    if (shortened || walkAll) {
      epochs.save();
    }
    snapshots.cutTo(end);
    WriterStates writers = replayWriters(end);
    Files.deleteIfExists(segments.get(segments.size() - 1).indexPath());
    return new LogState(segments, writers, epochs, snapshots, Math.min(forced, end));
  }

  private List<Long> listSegments() throws IOException {
    List<Long> bases = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path.get())) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (name.endsWith(DurableFiles.TEMPORARY)) {
          Files.deleteIfExists(entry);
        } else if (name.matches("\\d{20}\\.log")) {
          bases.add(Long.parseLong(name.substring(0, 20)));
        }
      }
    }
    Collections.sort(bases);
    return bases;
  }

  private void createFirst() throws IOException {
    if (forced > 0) {
      throw Corruption.at(path.get(), 0, "segments up to offset " + forced, "no .log file");
    }
    segments.add(create(0));
    walkAll = true;
  }

  private LogSegment create(long baseOffset) throws IOException {
    SegmentHeader header = new SegmentHeader(context.clusterId(), bucket, baseOffset);
    return LogSegment.create(context.files(), opener, path, header);
  }

  /**
   * A good index file is written only after its segment was forced, and all before it; it proves
   * that even when the segment itself is lost.
   */
  private void proveForced() throws IOException {
    try (DirectoryStream<Path> indexes =
        Files.newDirectoryStream(path.get(), "*" + LogSegment.INDEX_SUFFIX)) {
      for (Path index : indexes) {
        SegmentIndexFile.Head head = SegmentIndexFile.readHead(opener, index);
        if (head != null) {
          forced = Math.max(forced, head.endOffset());
        }
      }
    }
  }

  private LogSegment segment(long base) {
    return new LogSegment(context.files(), path, base);
  }

  private SegmentIndexFile.@Nullable Head readHead(LogSegment segment) throws IOException {
    SegmentIndexFile.Head head = SegmentIndexFile.readHead(opener, segment.indexPath());
    return head == null || head.baseOffset() != segment.baseOffset() ? null : head;
  }

  private void loadEpochs() throws IOException {
    try {
      walkAll = !epochs.load();
    } catch (SluiceException damaged) {
      walkAll = true;
      log.warn("Leader epochs are read from the log instead: {}", damaged.getMessage());
    }
  }

  private void openSegments(List<Long> bases) throws IOException {
    LeaderEpochs.Entry first = epochs.entries().isEmpty() ? null : epochs.entries().get(0);
    if (first != null && first.startOffset() < bases.get(0)) {
      throw Corruption.at(
          path.get(), 0, LogSegment.logName(first.startOffset()), LogSegment.logName(bases.get(0)));
    }
    for (int i = 0; i < bases.size(); i++) {
      long base = bases.get(i);
      if (i > 0 && !cut && segments.get(i - 1).endOffset() != base) {
        endsEarly(segments.get(i - 1), base);
      }
      if (cut) {
        dropSegment(segment(base));
      } else {
        long nextBase = i + 1 < bases.size() ? bases.get(i + 1) : -1;
        segments.add(openSegment(segment(base), nextBase));
      }
    }
    LogSegment last = segments.get(segments.size() - 1);
    if (last.endOffset() < forced) {
      throw Corruption.at(
          last.path(),
          last.size(),
          "batches up to offset " + forced,
          "the end of the log at offset " + last.endOffset());
    }
  }

  /** A segment ends, without damage, before the next one begins. */
  private void endsEarly(LogSegment segment, long nextBase) {
    if (segment.endOffset() < forced) {
      throw Corruption.at(
          segment.path(),
          segment.size(),
          "batches up to offset " + nextBase,
          "the end of the file at offset " + segment.endOffset());
    }
    log.warn(
        "Cut the log of {} behind {} at offset {}: the next segment begins at {}",
        bucket,
        segment.path(),
        segment.endOffset(),
        nextBase);
    cut = true;
  }

  private void dropSegment(LogSegment segment) throws IOException {
    log.warn(
        "Removed {} with {} bytes: it lies behind a cut of the log",
        segment.path(),
        Files.size(segment.path()));
    Files.deleteIfExists(segment.indexPath());
    Files.delete(segment.path());
  }

  /**
   * @param nextBase base of the next segment, -1 for the active one
   */
  private LogSegment openSegment(LogSegment segment, long nextBase) throws IOException {
    try (FileChannel channel = opener.open(segment.path(), StandardOpenOption.READ)) {
      long fileSize = channel.size();
      if (fileSize > Integer.MAX_VALUE) {
        throw Corruption.at(segment.path(), Integer.MAX_VALUE, "the end of the file", "more");
      }
      Damage damage = checkFileHeader(channel, segment);
      if (damage != null) {
        return recreate(segment, damage, fileSize);
      }
      SegmentIndexFile.Head head = readHead(segment);
      if (!walkAll
          && head != null
          && head.logBytes() == fileSize
          && (nextBase < 0 || head.endOffset() == nextBase)
          && describe(segment, head, nextBase < 0)) {
        return segment;
      }
      return scan(segment, channel, (int) fileSize, nextBase >= 0);
    }
  }

  private @Nullable Damage checkFileHeader(FileChannel channel, LogSegment segment)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.SIZE);
    DurableFiles.readFully(channel, bytes, 0);
    bytes.flip();
    Damage damage =
        new SegmentHeader(context.clusterId(), bucket, segment.baseOffset()).check(bytes);
    if (damage != null && (segment.baseOffset() < forced || SegmentHeader.isWhole(bytes))) {
      throw Corruption.at(segment.path(), damage);
    }
    return damage;
  }

  /** A segment whose very header was not forced has nothing to keep. */
  private LogSegment recreate(LogSegment segment, Damage damage, long fileSize) throws IOException {
    warnCut(segment, 0, fileSize, segment.baseOffset(), damage);
    cut = true;
    return create(segment.baseOffset());
  }

  private boolean describe(LogSegment segment, SegmentIndexFile.Head head, boolean active)
      throws IOException {
    SegmentIndex index = null;
    long firstTimeMs = 0;
    if (active) {
      index = SegmentIndexFile.load(opener, segment.indexPath(), segment.baseOffset());
      if (index == null) {
        return false;
      }
      firstTimeMs = index.firstTimeMs();
    }
    segment.describe(head.logBytes(), head.endOffset(), firstTimeMs, head.lastTimeMs(), index);
    return true;
  }

  /** Walks the segment: headers below the recovery point, everything above it. */
  private LogSegment scan(LogSegment segment, FileChannel channel, int fileSize, boolean seal)
      throws IOException {
    BatchWalk walk =
        new BatchWalk(channel, SegmentHeader.SIZE, fileSize, segment.baseOffset(), lastEpoch);
    SegmentIndex index = new SegmentIndex();
    StoredBatchCheck check = null;
    long lastTimeMs = 0;
    for (LogBatchHeader header = walk.next(); header != null; header = walk.next()) {
      if (header.nextOffset() > forced) {
        check = check == null ? new StoredBatchCheck(channel) : check;
        Damage found = check.check(header, walk.batchPosition());
        if (found != null) {
          walk.reject(found, header);
          break;
        }
      }
      index.addIfFar(
          header,
          segment.baseOffset(),
          walk.batchPosition(),
          context.config().indexIntervalBytes());
      walkAll |= epochs.add(header.leaderEpoch(), header.baseOffset());
      lastTimeMs = header.appendTimeMs();
    }
    segment.describe(
        (int) walk.position(), walk.nextOffset(), index.firstTimeMs(), lastTimeMs, index);
    lastEpoch = walk.lastEpoch();
    Damage damage = walk.damage();
    if (damage != null) {
      cutSegment(segment, fileSize, damage);
    } else if (seal) {
      segment.seal(new LogSegment.Seal(null));
    }
    return segment;
  }

  private void cutSegment(LogSegment segment, int fileSize, Damage damage) throws IOException {
    if (segment.endOffset() < forced) {
      throw Corruption.at(segment.path(), damage);
    }
    warnCut(segment, segment.size(), fileSize, segment.endOffset(), damage);
    segment.truncate(segment.size());
    cut = true;
  }

  private void warnCut(
      LogSegment segment, long position, long fileSize, long offset, Damage damage) {
    log.warn(
        "Cut {} at position {}, offset {}: {} bytes that were not forced to disk are damaged"
            + " (at position {}: expected {}, found {})",
        segment.path(),
        position,
        offset,
        fileSize - position,
        damage.position(),
        damage.expected(),
        damage.found());
  }

  /** Writer state at the log end: the newest snapshot and the batches behind it. */
  private WriterStates replayWriters(long end) throws IOException {
    WriterSnapshots.Loaded loaded = snapshots.load(end, segments.get(0).baseOffset());
    WriterStates states = loaded.states();
    for (LogSegment segment : segments) {
      if (segment.endOffset() > loaded.offset()) {
        replaySegment(segment, loaded.offset(), states);
      }
    }
    return states;
  }

  private void replaySegment(LogSegment segment, long fromOffset, WriterStates states)
      throws IOException {
    try (FileChannel channel = opener.open(segment.path(), StandardOpenOption.READ)) {
      BatchWalk walk =
          new BatchWalk(
              channel, SegmentHeader.SIZE, segment.size(), segment.baseOffset(), Integer.MIN_VALUE);
      for (LogBatchHeader header = walk.next(); header != null; header = walk.next()) {
        if (header.baseOffset() >= fromOffset) {
          states.stored(header);
        }
      }
      Damage damage = walk.damage();
      if (damage != null) {
        throw Corruption.at(segment.path(), damage);
      }
    }
  }
}
