package io.sluice.lake.commit;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.catalog.LakeKeys;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.RuntimeIOException;

/**
 * Commits a round, or a fence, to an Iceberg table: one snapshot, its summary and the table's
 * properties in one swap of metadata. The validator runs after every refresh that Iceberg makes
 * before it retries, and once more on the very state that is replaced.
 */
final class RoundCommitter {
  private RoundCommitter() {}

  /** Appends the files of the round. */
  static RoundOutcome commit(TableOperations operations, String name, Round round) {
    RoundValidator validator = new RoundValidator(round, operations.io());
    try {
      // Nothing is written for a round that is refused on what is known now.
      validator.check(operations.refresh());
      Map<String, String> summary =
          values(round.tableId(), round.fence(), offsets(operations, round.tableId(), round.end()));
      Map<String, String> properties = new LinkedHashMap<>(summary);
      summary.put(LakeKeys.EPOCH, Long.toString(round.epoch()));
      summary.put(LakeKeys.ROUND, round.roundId());
      RoundOperations checked = new RoundOperations(operations, validator::check, properties);
      AppendFiles append = new BaseTable(checked, name).newAppend();
      for (DataFile file : round.files()) {
        append.appendFile(file);
      }
      summary.forEach(append::set);
      append.validateWith(
          ancestors -> {
            validator.check(checked.current());
            return true;
          });
      append.commit();
      return find(operations, round);
    } catch (RoundPresentException present) {
      return present.outcome();
    } catch (RoundRefusedException refused) {
      return refused.outcome();
    } catch (RuntimeException failure) {
      return outcome(round.roundId(), failure);
    }
  }

  private static RoundOutcome find(TableOperations operations, Round round) {
    try {
      Snapshot made = Lineage.findRound(operations.refresh(), round.tableId(), round.roundId());
      if (made != null) {
        return new RoundOutcome.Committed(made.snapshotId());
      }
      return new RoundOutcome.Unknown(
          "Round " + round.roundId() + " was committed but is not in the history");
    } catch (RuntimeException unreadable) {
      return new RoundOutcome.Unknown(
          "Round "
              + round.roundId()
              + " was committed; its snapshot cannot be read: "
              + unreadable);
    }
  }

  /**
   * Commits an empty snapshot with the next fence, after which no round that was prepared before
   * can be committed.
   *
   * @return whether that is certain
   */
  static boolean fence(TableOperations operations, String name, long tableId) {
    try {
      TableMetadata base = operations.refresh();
      Lineage lineage = Lineage.of(base, operations.io());
      long fence = lineage.fence() + 1;
      Map<String, String> summary =
          values(tableId, fence, offsets(operations, tableId, lineage.recorded()));
      Map<String, String> properties = new LinkedHashMap<>(summary);
      if (lineage.rolledBack() != null) {
        // What the property says is the proof of the rollback.
        properties.remove(LakeKeys.OFFSETS);
      }
      summary.put(LakeKeys.EPOCH, Long.toString(lineage.epoch()));
      RoundOperations checked =
          new RoundOperations(
              operations,
              now -> requireSame(lineage, Lineage.of(now, operations.io())),
              properties);
      AppendFiles append = new BaseTable(checked, name).newAppend();
      summary.forEach(append::set);
      append.commit();
      return true;
    } catch (RoundRefusedException moved) {
      // Something was committed meanwhile; the caller looks again.
      return false;
    }
  }

  private static void requireSame(Lineage expected, Lineage found) {
    boolean same =
        expected.tableId() == found.tableId()
            && expected.fence() == found.fence()
            && expected.recorded().equals(found.recorded());
    if (!same) {
      throw new RoundRefusedException(
          ErrorCode.FENCED_ROUND, "The lake moved from " + expected + " to " + found);
    }
  }

  private static String offsets(TableOperations operations, long tableId, LakeOffsets offsets) {
    String folder = operations.metadataFileLocation("");
    String trimmed = folder.endsWith("/") ? folder.substring(0, folder.length() - 1) : folder;
    return OffsetsCodec.encode(offsets, tableId, operations.io(), trimmed);
  }

  private static Map<String, String> values(long tableId, long fence, String offsets) {
    Map<String, String> values = new LinkedHashMap<>();
    values.put(LakeKeys.TABLE_ID, Long.toString(tableId));
    values.put(LakeKeys.FENCE, Long.toString(fence));
    values.put(LakeKeys.OFFSETS, offsets);
    return values;
  }

  /** A failure that is certain to have changed nothing is a refusal; anything else is unknown. */
  private static RoundOutcome outcome(String roundId, RuntimeException failure) {
    String message = "Round " + roundId + " was not committed: " + words(failure);
    if (failure instanceof CommitFailedException) {
      return new RoundOutcome.Refused(ErrorCode.UNAVAILABLE, message);
    }
    if (failure instanceof NoSuchTableException) {
      return new RoundOutcome.Refused(ErrorCode.TABLE_CHANGED, message);
    }
    if (failure instanceof RuntimeIOException || failure instanceof UncheckedIOException) {
      return new RoundOutcome.Refused(ErrorCode.STORAGE_ERROR, message);
    }
    if (failure instanceof SluiceException known && known.code() == ErrorCode.CORRUPT_STORAGE) {
      return new RoundOutcome.Refused(known.code(), message);
    }
    return new RoundOutcome.Unknown(
        "The outcome of round " + roundId + " is unknown: " + words(failure));
  }

  /** What failed in one line: Iceberg's own text for unknown outcomes is a page. */
  static String words(Throwable failure) {
    Throwable cause = failure.getCause();
    Throwable told =
        failure instanceof CommitStateUnknownException && cause != null ? cause : failure;
    String text = told.toString();
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
