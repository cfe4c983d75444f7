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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
  private final LogHoles holes;
  private final LogStart start;
  private final List<LogSegment> segments = new ArrayList<>();
  private final List<Long> indexes = new ArrayList<>();
  // Names of the other files.
  private final Set<String> small = new HashSet<>();
  private final Map<Long, SegmentIndexFile.Head> heads = new HashMap<>();
  // Sealed segments whose index and writers are to be saved again.
  private final Set<LogSegment> unsaved = new HashSet<>();
  private long forced;
  private int lastEpoch = Integer.MIN_VALUE;
  private long indexedEnd;
  private boolean walkAll;
  private boolean cut;
  // End of the records in the segments opened so far.
  private long storedEnd;

  LogRecovery(LogContext context, LogPath path, TableBucket bucket, long recoveryPoint) {
    this.context = context;
    this.opener = context.platform().files();
    this.path = path;
    this.bucket = bucket;
    this.forced = recoveryPoint;
    this.epochs = new LeaderEpochs(opener, path);
    this.snapshots = new WriterSnapshots(opener, path);
    this.holes = new LogHoles(opener, path);
    this.start = new LogStart(opener, path);
  }

  LogState recover() throws IOException {
    List<Long> bases = listSegments();
    if (small.contains(StartAnew.NAME)) {
      bases = startAnew();
    }
    LogStart.Point begin = loadStart(bases);
    bases = finishTrim(bases, begin.offset());
    proveForced();
    forced = Math.max(forced, begin.offset());
    loadEpochs();
    if (small.contains(LogHoles.NAME)) {
      holes.load();
    }
    if (bases.isEmpty()) {
      createFirst(begin.offset());
    } else {
      openSegments(bases, begin.offset());
    }
    dropBehindHole();
    long end = segments.get(segments.size() - 1).endOffset();
    holes.trimTo(begin.offset());
    holes.cutTo(end);
    epochs.trimTo(begin.offset());
    boolean shortened = epochs.cutTo(end);
    if (shortened || walkAll) {
      epochs.save();
    }
    snapshots.cutTo(end);
    WriterSnapshots.Loaded loaded = snapshots.load(end, segments.get(0).baseOffset());
    replayWriters(loaded);
    long lastTimeMs = Math.max(begin.lastTimeMs(), new LogSegments(segments).lastTimeMs());
    return new LogState(
        segments,
        loaded.states(),
        start,
        lastTimeMs,
        epochs,
        holes,
        snapshots,
        Math.min(indexedEnd, loaded.offset()),
        Math.min(forced, end));
  }

  private static void add(List<Long> offsets, String name, String suffix) {
    long offset = LogSegment.offsetOf(name.substring(0, name.length() - suffix.length()));
    if (offset >= 0) {
      offsets.add(offset);
    }
  }

  /** Finishes what a stop in the middle of a new beginning has left; returns the bases then. */
  private List<Long> startAnew() throws IOException {
    StartAnew anew = new StartAnew(opener, path);
    LogBeginning beginning = anew.load();
    long offset = beginning.offset();
    log.info("The log of {} begins anew at offset {}", bucket, offset);
    anew.finish(
        beginning,
        LogSegment.empty(context.files(), path, offset),
        new SegmentHeader(context.clusterId(), bucket, offset),
        start,
        epochs,
        snapshots);
    indexes.clear();
    small.clear();
    snapshots.clear();
    return listSegments();
  }

  /**
   * A hole is kept by the first batch behind it. Without one the leader that made it has told it to
   * nobody, and the next one makes it again.
   */
  private void dropBehindHole() throws IOException {
    int last = segments.size() - 1;
    LogSegment segment = segments.get(last);
    if (last > 0
        && segment.isEmpty()
        && holes.endBelow(segment.baseOffset()) < segment.baseOffset()) {
      segments.remove(last);
      segment.delete(opener);
      DurableFiles.forceDirectory(opener, path.get());
    }
  }

  /** Where the log begins. A damaged file is replaced by what the oldest segment tells. */
  private LogStart.Point loadStart(List<Long> bases) throws IOException {
    if (!small.contains(LogStart.NAME)) {
      return start.point();
    }
    try {
      return start.load();
    } catch (SluiceException damaged) {
      if (bases.isEmpty()) {
        throw damaged;
      }
      LogStart.Point oldest = new LogStart.Point(bases.get(0), 0);
      log.warn("The oldest segment tells the log start: {}", damaged.getMessage());
      start.save(oldest);
      return oldest;
    }
  }

  /** Deletes what a stop in the middle of a deletion left below the log start. */
  private List<Long> finishTrim(List<Long> bases, long startOffset) throws IOException {
    for (long base : bases) {
      if (base < startOffset) {
        segment(base).delete(opener);
      }
    }
    for (long base : startOffset == 0 ? List.<Long>of() : indexes) {
      if (base < startOffset) {
        opener.delete(segment(base).indexPath());
      }
    }
    return bases.stream().filter(base -> base >= startOffset).toList();
  }

  private List<Long> listSegments() throws IOException {
    List<Long> bases = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path.get())) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (name.endsWith(DurableFiles.TEMPORARY)) {
          Files.deleteIfExists(entry);
        } else if (name.endsWith(LogSegment.LOG_SUFFIX)) {
          add(bases, name, LogSegment.LOG_SUFFIX);
        } else if (name.endsWith(LogSegment.INDEX_SUFFIX)) {
          add(indexes, name, LogSegment.INDEX_SUFFIX);
        } else if (!snapshots.found(name)) {
          small.add(name);
        }
      }
    }
    Collections.sort(bases);
    return bases;
  }

  private void createFirst(long startOffset) throws IOException {
    if (forced > startOffset) {
      throw Corruption.at(path.get(), 0, "segments up to offset " + forced, "no .log file");
    }
    segments.add(create(startOffset));
    walkAll = false;
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
    for (long base : indexes) {
      SegmentIndexFile.Head head = SegmentIndexFile.readHead(opener, segment(base).indexPath());
      if (head != null && head.baseOffset() == base) {
        heads.put(base, head);
        forced = Math.max(forced, head.endOffset());
      }
    }
  }

  private LogSegment segment(long base) {
    return new LogSegment(context.files(), path, base);
  }

  private void loadEpochs() throws IOException {
    try {
      walkAll = !small.contains(LeaderEpochs.NAME) || !epochs.load();
    } catch (SluiceException damaged) {
      walkAll = true;
      log.warn("Leader epochs are read from the log instead: {}", damaged.getMessage());
    }
  }

  private void openSegments(List<Long> bases, long startOffset) throws IOException {
    if (bases.get(0) != startOffset) {
      throw Corruption.at(
          path.get(), 0, LogSegment.logName(startOffset), LogSegment.logName(bases.get(0)));
    }
    for (int i = 0; i < bases.size(); i++) {
      long base = bases.get(i);
      long below = storedEnd;
      if (i > 0 && !cut && below != base && !holes.contains(below, base)) {
        endsEarly(segments.get(segments.size() - 1), base);
      }
      if (cut) {
        dropSegment(segment(base));
      } else {
        long nextBase = i + 1 < bases.size() ? bases.get(i + 1) : -1;
        LogSegment opened = openSegment(segment(base), nextBase, i == 0 ? base : below);
        segments.add(opened);
        storedEnd = i == 0 || !opened.isEmpty() ? opened.endOffset() : below;
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
   * @param below end of the records below it: its base, but for a hole
   */
  private LogSegment openSegment(LogSegment segment, long nextBase, long below) throws IOException {
    try (FileChannel channel = opener.open(segment.path(), StandardOpenOption.READ)) {
      long fileSize = channel.size();
      if (fileSize > Integer.MAX_VALUE) {
        throw Corruption.at(segment.path(), Integer.MAX_VALUE, "the end of the file", "more");
      }
      Damage damage = checkFileHeader(channel, segment);
      if (damage != null) {
        return recreate(segment, damage, fileSize);
      }
      SegmentIndexFile.Head head = heads.get(segment.baseOffset());
      if (!walkAll
          && head != null
          && head.logBytes() == fileSize
          && (nextBase < 0 || head.endOffset() == holes.endBelow(nextBase))) {
        // Its index is loaded when it is needed, and made again if it turns out to be damaged.
        segment.describe(head.logBytes(), head.endOffset(), 0, head.lastTimeMs(), null);
        indexedEnd = head.endOffset();
        return segment;
      }
      return scan(segment, channel, (int) fileSize, nextBase >= 0, below);
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

  /** Walks the segment: headers below the recovery point, everything above it. */
  private LogSegment scan(
      LogSegment segment, FileChannel channel, int fileSize, boolean seal, long below)
      throws IOException {
    SegmentIndexFile.Head head = walkAll ? null : heads.get(segment.baseOffset());
    SegmentIndex known = head == null ? null : knownPart(segment, head, fileSize);
    BatchWalk walk =
        head == null || known == null
            ? new BatchWalk(channel, SegmentHeader.SIZE, fileSize, segment.baseOffset(), lastEpoch)
            : new BatchWalk(channel, head.logBytes(), fileSize, head.endOffset(), lastEpoch);
    SegmentIndex index = known == null ? new SegmentIndex() : known;
    StoredBatchCheck check = null;
    long lastTimeMs = head == null || known == null ? 0 : head.lastTimeMs();
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
      // An epoch that begins with a hole begins below it.
      long from = header.baseOffset() == segment.baseOffset() ? below : header.baseOffset();
      walkAll |= epochs.found(header.leaderEpoch(), from);
      lastTimeMs = header.appendTimeMs();
    }
    segment.describe(
        (int) walk.position(), walk.nextOffset(), index.firstTimeMs(), lastTimeMs, index);
    lastEpoch = walk.lastEpoch();
    Damage damage = walk.damage();
    if (damage != null) {
      cutSegment(segment, fileSize, damage);
    } else if (seal) {
      unsaved.add(segment);
    }
    return segment;
  }

  /** The index of the segment's first part, when it was saved and the file has grown since. */
  private @Nullable SegmentIndex knownPart(
      LogSegment segment, SegmentIndexFile.Head head, int fileSize) throws IOException {
    if (head.logBytes() >= fileSize) {
      return null;
    }
    SegmentIndex stored = SegmentIndexFile.load(opener, segment.indexPath(), segment.baseOffset());
    return stored == null ? null : stored.copy();
  }

  private void cutSegment(LogSegment segment, int fileSize, Damage damage) throws IOException {
    if (segment.endOffset() < forced) {
      throw Corruption.at(segment.path(), damage);
    }
    warnCut(segment, segment.size(), fileSize, segment.endOffset(), damage);
    segment.truncate();
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

  /** Brings the states of the newest snapshot to the log end, by the batches behind it. */
  private void replayWriters(WriterSnapshots.Loaded loaded) throws IOException {
    for (LogSegment segment : segments) {
      WriterReplay.replay(opener, segment, loaded.offset(), loaded.states());
      if (segment != segments.get(segments.size() - 1) && unsaved.contains(segment)) {
        seal(segment, loaded, loaded.states());
      }
    }
  }

  /**
   * Has the index saved again, and the writers: those at the segment's end, or the later ones that
   * were loaded.
   */
  private static void seal(LogSegment segment, WriterSnapshots.Loaded loaded, WriterStates states) {
    long asOf = Math.max(segment.endOffset(), loaded.offset());
    segment.seal(new LogSegment.Seal(asOf, states.snapshot(asOf)));
  }
}
