package io.sluice.tablet.kv;

/**
 * Where a bucket's new rows get their ids for the auto-increment column from. Owned by the thread
 * that writes the bucket.
 */
public interface IdSource {
  /** Whether ids for so many rows are at hand; when not, more are being fetched. */
  boolean require(int rows);

  /** The next id, which nobody gets again; one of those that were required. */
  long next();
}
