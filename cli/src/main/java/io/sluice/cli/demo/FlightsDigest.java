package io.sluice.cli.demo;

import io.sluice.cli.terminal.Figures;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Everything the demo compares of a set of flights, independent of their order. Two sets with equal
 * digests have, but for a chance of about 2<sup>-64</sup>, the same rows the same number of times.
 *
 * @param rows number of rows
 * @param sumDelay sum of delay
 * @param sumDistance sum of distance
 * @param firstDateMicros earliest date, microseconds since 1970
 * @param lastDateMicros latest date
 * @param fingerprint sum, modulo 2<sup>64</sup>, over all rows of the last eight bytes (little
 *     endian) of the MD5 of {@code dateMicros|delay|distance|origin|destination}
 * @param rowsByOrigin number of rows of each origin
 */
record FlightsDigest(
    long rows,
    long sumDelay,
    long sumDistance,
    long firstDateMicros,
    long lastDateMicros,
    long fingerprint,
    SortedMap<String, Long> rowsByOrigin) {

  FlightsDigest {
    rowsByOrigin = new TreeMap<>(rowsByOrigin);
  }

  /** The busiest origins, the one with most rows first. */
  List<Map.Entry<String, Long>> busiestOrigins(int count) {
    return rowsByOrigin.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(count)
        .toList();
  }

  /** One comparison, in words for a person. */
  record Check(String what, String expected, String found) {
    boolean passes() {
      return expected.equals(found);
    }
  }

  /** All comparisons of what was found with this digest, one after another. */
  List<Check> compare(FlightsDigest found) {
    List<Check> checks = new ArrayList<>();
    checks.add(new Check("rows", Figures.count(rows), Figures.count(found.rows)));
    checks.add(new Check("sum(delay)", Figures.count(sumDelay), Figures.count(found.sumDelay)));
    checks.add(
        new Check("sum(distance)", Figures.count(sumDistance), Figures.count(found.sumDistance)));
    checks.add(new Check("min(date)", date(firstDateMicros), date(found.firstDateMicros)));
    checks.add(new Check("max(date)", date(lastDateMicros), date(found.lastDateMicros)));
    checks.add(
        new Check(
            "origins",
            Figures.count(rowsByOrigin.size()),
            Figures.count(found.rowsByOrigin.size())));
    for (Map.Entry<String, Long> origin : busiestOrigins(10)) {
      checks.add(
          new Check(
              "rows from " + origin.getKey(),
              Figures.count(origin.getValue()),
              Figures.count(found.rowsByOrigin.getOrDefault(origin.getKey(), 0L))));
    }
    checks.add(
        new Check(
            "rows by origin, all",
            hex(rowsByOrigin.hashCode()),
            hex(found.rowsByOrigin.hashCode())));
    checks.add(new Check("fingerprint of all rows", hex(fingerprint), hex(found.fingerprint)));
    return checks;
  }

  private static String date(long micros) {
    return Instant.ofEpochSecond(
            Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L)
        .toString()
        .replace('T', ' ')
        .replace("Z", "");
  }

  private static String hex(long value) {
    return String.format("%016x", value);
  }

  private static String hex(int value) {
    return String.format("%08x", value);
  }

  /** Adds rows one by one. Not thread-safe. */
  static final class Accumulator {
    private final MessageDigest md5;
    private final SortedMap<String, Long> rowsByOrigin = new TreeMap<>();
    private long rows;
    private long sumDelay;
    private long sumDistance;
    private long firstDateMicros = Long.MAX_VALUE;
    private long lastDateMicros = Long.MIN_VALUE;
    private long fingerprint;

    Accumulator() {
      try {
        md5 = MessageDigest.getInstance("MD5");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every Java platform has MD5", e);
      }
    }

    void add(long dateMicros, long delay, long distance, String origin, String destination) {
      rows++;
      sumDelay += delay;
      sumDistance += distance;
      firstDateMicros = Math.min(firstDateMicros, dateMicros);
      lastDateMicros = Math.max(lastDateMicros, dateMicros);
      rowsByOrigin.merge(origin, 1L, Long::sum);
      String text = dateMicros + "|" + delay + "|" + distance + "|" + origin + "|" + destination;
      byte[] hash = md5.digest(text.getBytes(StandardCharsets.UTF_8));
      fingerprint += ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN).getLong(8);
    }

    FlightsDigest digest() {
      return new FlightsDigest(
          rows, sumDelay, sumDistance, firstDateMicros, lastDateMicros, fingerprint, rowsByOrigin);
    }
  }
}
