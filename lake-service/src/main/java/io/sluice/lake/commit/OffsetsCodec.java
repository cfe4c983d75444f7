package io.sluice.lake.commit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.lake.commit.LakeOffsets.Bucket;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;

/**
 * The value of {@code sluice.offsets}, in the summary of a snapshot and in the property of a table;
 * docs/formats/lake.md. Up to {@value #MAX_INLINE_BYTES} bytes it holds the offsets, above that it
 * names a file with them and the file's hash.
 */
final class OffsetsCodec {
  /** Summaries are read with every load of a table, so they stay small. */
  static final int MAX_INLINE_BYTES = 8 * 1024;

  private static final int MAX_FILE_BYTES = 64 * 1024 * 1024;
  private static final int VERSION = 1;
  private static final String MAGIC = "sluice-offsets";
  private static final ObjectMapper JSON = new ObjectMapper();

  private OffsetsCodec() {}

  /**
   * The value for these offsets. Writes the file first when there are too many.
   *
   * @param metadataFolder location of the table's metadata folder
   */
  static String encode(LakeOffsets offsets, long tableId, FileIO files, String metadataFolder) {
    String inline = inline(offsets).toString();
    if (inline.length() <= MAX_INLINE_BYTES) {
      return inline;
    }
    ObjectNode document = JSON.createObjectNode();
    document.put("magic", MAGIC).put("version", VERSION).put("table-id", tableId);
    document.set("offsets", inline(offsets));
    byte[] bytes = document.toString().getBytes(StandardCharsets.UTF_8);
    String hash = sha256(bytes);
    // Named by its content: writing it twice is harmless, and nobody ever changes it.
    String location = metadataFolder + "/" + MAGIC + "-" + hash.substring(0, 32) + ".json";
    write(files, location, bytes);
    ObjectNode reference = JSON.createObjectNode();
    reference.put("file", location).put("sha256", hash).put("length", bytes.length);
    return reference.toString();
  }

  private static void write(FileIO files, String location, byte[] bytes) {
    try (OutputStream out = files.newOutputFile(location).create()) {
      out.write(bytes);
    } catch (AlreadyExistsException same) {
      // The name is the content's hash.
      return;
    } catch (IOException e) {
      throw new RuntimeIOException(e, "Cannot write %s", location);
    }
  }

  private static ObjectNode inline(LakeOffsets offsets) {
    ObjectNode node = JSON.createObjectNode();
    offsets.asMap().forEach((bucket, offset) -> node.put(bucket.toString(), offset));
    return node;
  }

  /**
   * The offsets of a value; CORRUPT_STORAGE when it, or the file that it names, is not what was
   * written.
   *
   * @param where for messages: the snapshot or table it comes from
   */
  static LakeOffsets decode(String value, String where, FileIO files) {
    JsonNode node = parse(value.getBytes(StandardCharsets.UTF_8), where);
    JsonNode file = node.get("file");
    return file == null ? offsets(node, where) : offsets(read(node, where, files), where);
  }

  private static JsonNode read(JsonNode reference, String where, FileIO files) {
    String location = reference.path("file").asText();
    String expected = reference.path("sha256").asText();
    int length = reference.path("length").asInt(-1);
    if (length < 0 || length > MAX_FILE_BYTES) {
      throw corrupt(where, location + " with length " + length);
    }
    byte[] bytes;
    InputFile input = files.newInputFile(location);
    try (SeekableInputStream in = input.newStream()) {
      bytes = in.readNBytes(length + 1);
    } catch (NotFoundException | IOException e) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE, "Cannot read the offsets of " + where + " in " + location, e);
    }
    String found = sha256(bytes);
    if (bytes.length != length || !found.equals(expected)) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          location
              + ", named by "
              + where
              + ", has SHA-256 "
              + found
              + "; expected "
              + expected
              + " of "
              + length
              + " bytes");
    }
    return parse(bytes, location).path("offsets");
  }

  private static LakeOffsets offsets(JsonNode node, String where) {
    if (!node.isObject()) {
      throw corrupt(where, node.toString());
    }
    Map<Bucket, Long> offsets = new TreeMap<>();
    Iterator<Map.Entry<String, JsonNode>> fields = node.fields();
    while (fields.hasNext()) {
      Map.Entry<String, JsonNode> field = fields.next();
      String key = field.getKey();
      int dash = key.indexOf('-');
      JsonNode offset = field.getValue();
      if (dash < 1 || !offset.isIntegralNumber() || offset.asLong() < 0) {
        throw corrupt(where, key + ": " + offset);
      }
      try {
        Bucket bucket =
            new Bucket(
                Long.parseLong(key.substring(0, dash)), Integer.parseInt(key.substring(dash + 1)));
        offsets.put(bucket, offset.asLong());
      } catch (NumberFormatException e) {
        throw corrupt(where, key + ": " + offset);
      }
    }
    return LakeOffsets.of(offsets);
  }

  private static JsonNode parse(byte[] bytes, String where) {
    try {
      return JSON.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw new SluiceException(
          ErrorCode.CORRUPT_STORAGE,
          "The offsets of " + where + " are not JSON: " + e.getOriginalMessage(),
          e);
    } catch (IOException e) {
      throw new RuntimeIOException(e, "Cannot read the offsets of %s", where);
    }
  }

  private static SluiceException corrupt(String where, String found) {
    return new SluiceException(
        ErrorCode.CORRUPT_STORAGE,
        "The offsets of " + where + " hold '" + found + "'; expected partition-bucket: offset");
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
