package io.sluice.bench.harness;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Settings of a product's client by the product's own names. Immutable. */
public final class Settings {
  /** The client's defaults. */
  public static final Settings NONE = new Settings(Map.of());

  private final Map<String, String> values;

  /** Copies the map. */
  public Settings(Map<String, String> values) {
    this.values = Map.copyOf(values);
  }

  /** The value of a setting that is given. */
  public Optional<String> value(String name) {
    return Optional.ofNullable(values.get(name));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Settings settings && settings.values.equals(values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** The settings whose names begin with this, without it. */
  public Map<String, String> under(String prefix) {
    Map<String, String> found = new TreeMap<>();
    values.forEach(
        (name, value) -> {
          if (name.startsWith(prefix)) {
            found.put(name.substring(prefix.length()), value);
          }
        });
    return found;
  }
}
