package io.sluice.testkit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Opens real files that fail when a test says so: pass {@code faulty::open} where code takes an
 * opener of files. Thread-safe.
 */
public final class FaultyFiles {
  /** What a file can fail at. */
  public enum Operation {
    /** Opening it. */
    OPEN,
    /** Reading from it. */
    READ,
    /** Writing to it. */
    WRITE,
    /** Forcing it to disk. */
    FORCE,
    /** Cutting it. */
    TRUNCATE
  }

  private final List<Fault> faults = new ArrayList<>();
  private int largestWrite = Integer.MAX_VALUE;
  private boolean forcing = true;
  private long forces;

  /** A fault that waits for its file and operation. */
  private static final class Fault {
    private final Operation operation;
    private final String nameEnd;
    private final String message;
    private final boolean once;
    private long bytesBefore;

    private Fault(
        Operation operation, String nameEnd, String message, boolean once, long bytesBefore) {
      this.operation = operation;
      this.nameEnd = nameEnd;
      this.message = message;
      this.once = once;
      this.bytesBefore = bytesBefore;
    }

    private boolean meets(Operation other, Path path) {
      return operation == other && path.getFileName().toString().endsWith(nameEnd);
    }
  }

  /** The next such operation on a file whose name ends so fails. */
  public synchronized void failNext(Operation operation, String nameEnd, String message) {
    faults.add(new Fault(operation, nameEnd, message, true, 0));
  }

  /** Every such operation on a file whose name ends so fails, until {@link #heal}. */
  public synchronized void failAlways(Operation operation, String nameEnd, String message) {
    faults.add(new Fault(operation, nameEnd, message, false, 0));
  }

  /** Writes to files whose name ends so take this many bytes more, then one fails. */
  public synchronized void failWriteAfter(long bytes, String nameEnd, String message) {
    faults.add(new Fault(Operation.WRITE, nameEnd, message, true, bytes));
  }

  /** One write takes at most so many bytes, as the system call may. */
  public synchronized void shortWrites(int largest) {
    largestWrite = largest;
  }

  /** Forcing a file does nothing: for tests of what the page cache holds, which run faster so. */
  public synchronized FaultyFiles withoutForcing() {
    forcing = false;
    return this;
  }

  /** From now on nothing fails. */
  public synchronized void heal() {
    faults.clear();
    largestWrite = Integer.MAX_VALUE;
  }

  /** How often a file was forced to disk. */
  public synchronized long forces() {
    return forces;
  }

  /** As {@link FileChannel#open(Path, OpenOption...)}. */
  public FileChannel open(Path path, OpenOption... options) throws IOException {
    before(Operation.OPEN, path);
    return new FaultyChannel(this, path, FileChannel.open(path, options));
  }

  /** Throws when the operation is to fail. */
  synchronized void before(Operation operation, Path path) throws IOException {
    if (operation == Operation.FORCE) {
      forces++;
    }
    for (Iterator<Fault> all = faults.iterator(); all.hasNext(); ) {
      Fault fault = all.next();
      if (fault.meets(operation, path) && fault.bytesBefore == 0) {
        if (fault.once) {
          all.remove();
        }
        throw new IOException(fault.message);
      }
    }
  }

  synchronized boolean forcing() {
    return forcing;
  }

  /** How many bytes the next write may take; throws when it is to fail. */
  synchronized long admitWrite(Path path, long wanted) throws IOException {
    before(Operation.WRITE, path);
    long admitted = Math.min(wanted, largestWrite);
    for (Fault fault : faults) {
      if (fault.meets(Operation.WRITE, path)) {
        admitted = Math.min(admitted, fault.bytesBefore);
        fault.bytesBefore -= admitted;
      }
    }
    return admitted;
  }
}
