package io.sluice.common;

/**
 * Every way a request can fail, with the gRPC status and the HTTP status it travels under and
 * whether the same request may succeed when sent again.
 *
 * <p>Names are part of the public protocol (they are the {@code reason} of {@code
 * google.rpc.ErrorInfo} and the {@code code} of HTTP problem details): they are never renamed or
 * reused.
 */
public enum ErrorCode {
  /** The request itself is wrong; sending it again unchanged fails again. */
  INVALID_ARGUMENT("INVALID_ARGUMENT", 400, false),
  /** A name breaks the rules for database, table, column or writer names. */
  INVALID_NAME("INVALID_ARGUMENT", 400, false),
  /** A table option is unknown or its value is out of range. */
  INVALID_OPTION("INVALID_ARGUMENT", 400, false),
  /** A schema definition is wrong, or data does not fit the schema it names. */
  INVALID_SCHEMA("INVALID_ARGUMENT", 400, false),
  /** A change of a table that its rules forbid; the message says why and what is allowed. */
  INVALID_ALTER("INVALID_ARGUMENT", 400, false),
  /** A partition value that is malformed, expired or out of range. */
  INVALID_PARTITION("INVALID_ARGUMENT", 400, false),
  /** A value does not fit its column: wrong type, out of range, NULL where NOT NULL. */
  INVALID_VALUE("INVALID_ARGUMENT", 400, false),
  /** A merged value would leave the range of its column's type; the row is as it was. */
  AGGREGATE_OVERFLOW("INVALID_ARGUMENT", 400, false),
  /** A delete in a table that refuses deletes ({@code table.delete.behavior} = disable). */
  DELETE_DISABLED("FAILED_PRECONDITION", 409, false),
  /** Every id that the auto-increment column's type has was given away. */
  IDS_EXHAUSTED("FAILED_PRECONDITION", 409, false),
  /** A scan ticket cannot be parsed or names fields that do not belong together. */
  INVALID_TICKET("INVALID_ARGUMENT", 400, false),
  /** A filter that cannot be parsed or does not fit the columns it names. */
  INVALID_FILTER("INVALID_ARGUMENT", 400, false),
  /** A SQL statement that cannot be parsed or bound; the message says where. */
  INVALID_SQL("INVALID_ARGUMENT", 400, false),
  /** A query needs more memory, disk or rows than one query may have. */
  QUERY_LIMIT_EXCEEDED("RESOURCE_EXHAUSTED", 413, false),
  /** The bytes of a batch fail their checksum or their structure is impossible. */
  CORRUPT_BATCH("INVALID_ARGUMENT", 400, false),
  /** One row is larger than the largest row that may be stored. */
  ROW_TOO_LARGE("INVALID_ARGUMENT", 413, false),
  /** A batch of several rows is larger than 3.5 MiB; smaller batches are accepted. */
  BATCH_TOO_LARGE("INVALID_ARGUMENT", 413, false),
  /** A put into a primary-key table changes too many bytes at once; send fewer rows in each put. */
  PUT_TOO_LARGE("INVALID_ARGUMENT", 413, false),
  /** The database does not exist. */
  DATABASE_NOT_FOUND("NOT_FOUND", 404, false),
  /** The table does not exist. */
  TABLE_NOT_FOUND("NOT_FOUND", 404, false),
  /** The column does not exist in the table. */
  COLUMN_NOT_FOUND("NOT_FOUND", 404, false),
  /** The bucket does not exist in the table. */
  BUCKET_NOT_FOUND("NOT_FOUND", 404, false),
  /** The partition does not exist in the table. */
  PARTITION_NOT_FOUND("NOT_FOUND", 404, false),
  /** The schema id does not exist for the table. */
  SCHEMA_NOT_FOUND("NOT_FOUND", 404, false),
  /** An action, path or resource that this server does not have. */
  NOT_FOUND("NOT_FOUND", 404, false),
  /** A database of this name exists. */
  DATABASE_EXISTS("ALREADY_EXISTS", 409, false),
  /** The database still holds tables. */
  DATABASE_NOT_EMPTY("FAILED_PRECONDITION", 409, false),
  /** A table of this name exists. */
  TABLE_EXISTS("ALREADY_EXISTS", 409, false),
  /** A partition of these values exists. */
  PARTITION_EXISTS("ALREADY_EXISTS", 409, false),
  /** The table has as many partitions as a table may have. */
  TOO_MANY_PARTITIONS("FAILED_PRECONDITION", 409, false),
  /** The table was dropped or recreated while a stream on it was open. */
  TABLE_CHANGED("FAILED_PRECONDITION", 409, false),
  /** The schema changed in a way an open stream cannot follow; reopen it at the next offset. */
  SCHEMA_CHANGED("FAILED_PRECONDITION", 409, false),
  /** Fewer live tablet servers than replicas asked for. */
  NOT_ENOUGH_SERVERS("FAILED_PRECONDITION", 409, false),
  /** The offset is below the log start or above the log end. */
  OFFSET_OUT_OF_RANGE("OUT_OF_RANGE", 416, false),
  /** A sequence leaves a gap that no answer covers. */
  OUT_OF_ORDER_SEQUENCE("FAILED_PRECONDITION", 409, false),
  /** A newer instance of this writer has started. */
  FENCED_WRITER("FAILED_PRECONDITION", 409, false),
  /** A tiering round whose epoch, fence or start offsets are no longer current. */
  FENCED_ROUND("FAILED_PRECONDITION", 409, false),
  /** The lake holds a table of this name that belongs to no table of this cluster. */
  LAKE_TABLE_EXISTS("ALREADY_EXISTS", 409, false),
  /** The lake table belongs to a table that tiers into it; that one has to be dropped first. */
  LAKE_TABLE_MANAGED("FAILED_PRECONDITION", 409, false),
  /** The lake table is behind what is recorded: somebody rolled it back. */
  LAKE_REGRESSED("FAILED_PRECONDITION", 409, false),
  /** The request carries a leader epoch that is no longer current. */
  FENCED_LEADER_EPOCH("FAILED_PRECONDITION", 409, true),
  /**
   * This server does not lead the bucket. Who does, when that is known, is in the detail {@code
   * leader} (host:port) or {@code leader_server_id}.
   */
  NOT_LEADER("UNAVAILABLE", 503, true),
  /** This server leads the bucket but is still recovering its tail. */
  LEADER_NOT_READY("UNAVAILABLE", 503, true),
  /** Fewer replicas of the bucket are in sync than a write needs; nothing was stored. */
  NOT_ENOUGH_REPLICAS("UNAVAILABLE", 503, true),
  /** A leader asked to change an in-sync set that has changed meanwhile. */
  STALE_ISR("FAILED_PRECONDITION", 409, true),
  /** A server named by a leader has registered anew or is not alive. */
  STALE_INCARNATION("FAILED_PRECONDITION", 409, true),
  /** The replica is offline: its data is damaged or its disk failed. */
  REPLICA_OFFLINE("UNAVAILABLE", 503, true),
  /**
   * This coordinator does not lead the metadata group; the detail {@code leader} names who does.
   */
  NOT_COORDINATOR_LEADER("UNAVAILABLE", 503, true),
  /**
   * The server holds as many unanswered bytes as it may, or has no memory for rows now; try again
   * after a pause.
   */
  BACKPRESSURE("RESOURCE_EXHAUSTED", 429, true),
  /** The data disk is too full to take writes. */
  DISK_FULL("RESOURCE_EXHAUSTED", 507, true),
  /** The server is starting or stopping, or cannot be reached. */
  UNAVAILABLE("UNAVAILABLE", 503, true),
  /** The deadline passed; the outcome of a write is unknown. */
  TIMEOUT("DEADLINE_EXCEEDED", 504, true),
  /** The caller gave up. */
  CANCELLED("CANCELLED", 499, false),
  /** The caller has no valid credentials. */
  UNAUTHENTICATED("UNAUTHENTICATED", 401, false),
  /** The caller may not do this. */
  PERMISSION_DENIED("PERMISSION_DENIED", 403, false),
  /** The feature is known but this build or this kind of table does not have it. */
  UNSUPPORTED("UNIMPLEMENTED", 501, false),
  /** Reading or writing a file failed. */
  STORAGE_ERROR("INTERNAL", 500, true),
  /** Stored bytes are damaged; the message names file, position, expected and found. */
  CORRUPT_STORAGE("DATA_LOSS", 500, false),
  /** A defect in this software. */
  INTERNAL("INTERNAL", 500, false);

  private final String grpcStatus;
  private final int httpStatus;
  private final boolean retriable;

  ErrorCode(String grpcStatus, int httpStatus, boolean retriable) {
    this.grpcStatus = grpcStatus;
    this.httpStatus = httpStatus;
    this.retriable = retriable;
  }

  /** The name of the {@code io.grpc.Status.Code} this error travels under. */
  public String grpcStatus() {
    return grpcStatus;
  }

  /** The HTTP status this error travels under. */
  public int httpStatus() {
    return httpStatus;
  }

  /** Whether the same request may succeed when it is sent again after a pause. */
  public boolean retriable() {
    return retriable;
  }
}
