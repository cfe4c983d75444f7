package io.sluice.tablet.log;

import io.sluice.common.TableBucket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The {@code replica.meta} file: whose replica a directory holds.
 *
 * @param clusterId cluster it belongs to
 * @param bucket its bucket
 * @param createdMs when the directory was made
 * @param tableName name of the table then, for people who look into the directory
 */
record ReplicaMeta(String clusterId, TableBucket bucket, long createdMs, String tableName) {
  static final String NAME = "replica.meta";
  private static final String MAGIC = "SLUCREPL";

  /** Forces the file; it comes before any segment. */
  void save(FileOpener files, Path directory) throws IOException {
    byte[] cluster = clusterId.getBytes(StandardCharsets.UTF_8);
    byte[] table = tableName.getBytes(StandardCharsets.UTF_8);
    ByteBuffer payload = CheckedFile.payload(40 + cluster.length + table.length);
    payload.putLong(bucket.tableId()).putLong(bucket.partitionId()).putInt(bucket.bucket());
    payload.putInt(0).putLong(createdMs);
    payload.putInt(cluster.length).put(cluster).putInt(table.length).put(table);
    new CheckedFile(files, directory.resolve(NAME), MAGIC).write(payload.flip());
  }

  /** Throws CORRUPT_STORAGE unless the directory holds a replica of this bucket and cluster. */
  static void check(FileOpener files, Path directory, String clusterId, TableBucket bucket)
      throws IOException {
    Path path = directory.resolve(NAME);
    ByteBuffer payload = new CheckedFile(files, path, MAGIC).read();
    if (payload == null) {
      throw Corruption.at(path, 0, "the replica's description", "no file");
    }
    TableBucket found = new TableBucket(payload.getLong(), payload.getLong(), payload.getInt());
    payload.getInt();
    payload.getLong();
    String cluster = text(payload);
    if (!found.equals(bucket) || !cluster.equals(clusterId)) {
      throw Corruption.at(
          path, 16, "bucket " + bucket + " of cluster " + clusterId, found + " of " + cluster);
    }
  }

  private static String text(ByteBuffer payload) {
    byte[] bytes = new byte[payload.getInt()];
    payload.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
