package io.sluice.protocol.security;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that the servers of one cluster share: at least {@value #MIN_BYTES} random bytes in a
 * file that only its owner may read. Its bytes never leave this class.
 */
public final class ClusterSecret {
  /** The shortest secret accepted. */
  public static final int MIN_BYTES = 32;

  private static final int MAX_BYTES = 4096;
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  private ClusterSecret(byte[] bytes) {
    this.key = new SecretKeySpec(bytes, ALGORITHM);
  }

  /** Uses these bytes as the secret. */
  public static ClusterSecret of(byte[] bytes) {
    return checked(bytes, "The cluster secret");
  }

  /** Reads the secret; INVALID_ARGUMENT naming the file when it is missing or too short. */
  public static ClusterSecret read(Path file) {
    try {
      long size = Files.size(file);
      if (size > MAX_BYTES) {
        throw invalid(
            "Cluster secret file " + file + " has " + size + " bytes; at most " + MAX_BYTES);
      }
      return checked(Files.readAllBytes(file), "Cluster secret file " + file);
    } catch (NoSuchFileException e) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT,
          "Cluster secret file "
              + file
              + " does not exist; it is written by './sluice up', or create it with at least "
              + MIN_BYTES
              + " random bytes and set sluice.cluster.secret-file",
          e);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot read cluster secret file " + file + ": " + e, e);
    }
  }

  /** Writes a new random secret with mode 600 unless the file exists, then reads it. */
  public static ClusterSecret readOrCreate(Path file) {
    byte[] bytes = new byte[MIN_BYTES];
    new SecureRandom().nextBytes(bytes);
    try {
      var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
      try (var channel =
          Files.newByteChannel(
              file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode)) {
        Channels.newOutputStream(channel).write(bytes);
      }
    } catch (FileAlreadyExistsException e) {
      return read(file);
    } catch (IOException e) {
      throw new SluiceException(
          ErrorCode.STORAGE_ERROR, "Cannot write cluster secret file " + file + ": " + e, e);
    }
    return read(file);
  }

  /** HMAC-SHA256 of the bytes under this secret. */
  byte[] sign(byte[] content) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac.doFinal(content);
    } catch (GeneralSecurityException e) {
      throw new SluiceException(ErrorCode.INTERNAL, "This Java has no " + ALGORITHM, e);
    }
  }

  private static ClusterSecret checked(byte[] bytes, String what) {
    if (bytes.length < MIN_BYTES) {
      throw invalid(what + " has " + bytes.length + " bytes; it must have at least " + MIN_BYTES);
    }
    return new ClusterSecret(bytes);
  }

  private static SluiceException invalid(String message) {
    return new SluiceException(ErrorCode.INVALID_ARGUMENT, message);
  }

  @Override
  public String toString() {
    return "ClusterSecret";
  }
}
