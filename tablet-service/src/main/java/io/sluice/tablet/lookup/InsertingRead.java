package io.sluice.tablet.lookup;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.tablet.replica.AppendCallback;
import io.sluice.tablet.replica.Replica;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are read, and made where they do not exist: until {@link #isComplete}, {@link #make}
 * and ask again. One owner at a time.
 */
public final class InsertingRead {
  /** Keys of one put. */
  private static final int MAX_KEYS = 1024;

  /** How often rows that were made may be gone when they are read. */
  private static final int MAX_DELETED = 8;

  private final RowLookups lookups;
  private final Replica replica;
  private final List<byte[]> keys;
  private final byte[] @Nullable [] values;
  private final List<Integer> missing = new ArrayList<>();
  private List<Integer> open = new ArrayList<>();
  private boolean begun;
  private int fruitless;
  private volatile @Nullable SluiceException failure;

  InsertingRead(RowLookups lookups, Replica replica, List<byte[]> keys) {
    this.lookups = lookups;
    this.replica = replica;
    this.keys = keys;
    this.values = new byte[keys.size()][];
    for (int i = 0; i < keys.size(); i++) {
      open.add(i);
    }
  }

  /**
   * Reads what is not known yet; true when all rows are known.
   *
   * @throws SluiceException why the rows cannot be read or were not made
   */
  public boolean isComplete() {
    SluiceException why = failure;
    if (why != null) {
      throw why;
    }
    int before = open.size();
    read();
    if (begun && !open.isEmpty() && open.size() == before && ++fruitless > MAX_DELETED) {
      throw new SluiceException(
          ErrorCode.UNAVAILABLE,
          "Rows of "
              + replica.table().path()
              + " were deleted as often as they were made; try again");
    }
    begun = true;
    return open.isEmpty();
  }

  private void read() {
    List<byte[]> wanted = new ArrayList<>(open.size());
    open.forEach(index -> wanted.add(keys.get(index)));
    List<byte @Nullable []> found = lookups.read(replica, wanted);
    List<Integer> left = new ArrayList<>();
    for (int i = 0; i < found.size(); i++) {
      int index = open.get(i);
      values[index] = found.get(i);
      if (found.get(i) == null) {
        left.add(index);
      }
    }
    open = left;
    if (!begun) {
      missing.addAll(left);
    }
  }

  /**
   * Begins to make rows that were not found.
   *
   * @param again run once on any thread, perhaps before this returns, when they are made or have
   *     been refused
   */
  public void make(Runnable again) {
    TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
    for (int i = 0; i < open.size() && distinct.size() < MAX_KEYS; i++) {
      distinct.add(keys.get(open.get(i)));
    }
    replica.insertMissing(
        new ArrayList<>(distinct),
        new AppendCallback() {
          @Override
          public void stored(long baseOffset, boolean duplicate, int leaderEpoch) {
            again.run();
          }

          @Override
          public void refused(SluiceException cause) {
            failure = cause;
            again.run();
          }
        });
  }

  /** The encoded rows in the order of the keys, none of them null once all are known. */
  public List<byte @Nullable []> values() {
    return Arrays.asList(values);
  }

  /** Indexes of the keys whose rows did not exist when they were read first. */
  public List<Integer> missing() {
    return missing;
  }
}
