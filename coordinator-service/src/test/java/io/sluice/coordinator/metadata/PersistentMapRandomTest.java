package io.sluice.coordinator.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PersistentMapRandomTest {
  @Test
  void behavesLikeASortedMapAndNeverChangesAnOldVersion() {
    Seeds.run(
        20,
        (seed, random) -> {
          PersistentMap<Integer, Integer> map = PersistentMap.empty();
          TreeMap<Integer, Integer> model = new TreeMap<>();
          PersistentMap<Integer, Integer> old = map;
          Map<Integer, Integer> oldModel = Map.of();
          for (int i = 0; i < 2000; i++) {
            int key = random.nextInt(300);
            if (random.nextInt(3) == 0) {
              map = map.without(key);
              model.remove(key);
            } else {
              map = map.with(key, i);
              model.put(key, i);
            }
            if (i % 100 == 0) {
              assertThat(entries(old)).isEqualTo(entriesOf(oldModel));
              old = map;
              oldModel = new TreeMap<>(model);
            }
            assertThat(map.size()).isEqualTo(model.size());
            assertThat(map.get(key)).isEqualTo(model.get(key));
          }
          assertThat(entries(map)).isEqualTo(entriesOf(model));
        });
  }

  @Test
  void staysShallowWhenFilledInOrder() {
    PersistentMap<Integer, Integer> map = PersistentMap.empty();
    for (int i = 0; i < 100_000; i++) {
      map = map.with(i, i);
    }
    // An unbalanced tree of this size would overflow the stack of the recursive insertion.
    assertThat(map.with(100_000, 1).size()).isEqualTo(100_001);
    for (int i = 0; i < 100_000; i += 2) {
      map = map.without(i);
    }
    assertThat(map.size()).isEqualTo(50_000);
    assertThat(map.iterator().next().key()).isEqualTo(1);
  }

  @Test
  void mapsValuesInOrderAndSharesWhatStays() {
    PersistentMap<Integer, Integer> map = PersistentMap.empty();
    assertThat(map.mapValues(value -> value)).isSameAs(map);
    for (int i = 0; i < 1000; i++) {
      map = map.with(i, i);
    }
    List<Integer> seen = new ArrayList<>();
    PersistentMap<Integer, Integer> same =
        map.mapValues(
            value -> {
              seen.add(value);
              return value;
            });
    assertThat(same).isSameAs(map);
    assertThat(seen).isSorted().hasSize(1000);
    PersistentMap<Integer, Integer> changed = map.mapValues(value -> value == 500 ? -1 : value);
    assertThat(changed).isEqualTo(map.with(500, -1));
    assertThat(map.get(500)).isEqualTo(500);
  }

  @Test
  void equalsByEntriesWhateverTheOrderOfInsertion() {
    PersistentMap<Integer, String> up = PersistentMap.empty();
    PersistentMap<Integer, String> down = PersistentMap.empty();
    for (int i = 0; i < 100; i++) {
      up = up.with(i, "v" + i);
      down = down.with(99 - i, "v" + (99 - i));
    }
    assertThat(up).isEqualTo(down).hasSameHashCodeAs(down);
    assertThat(up).isNotEqualTo(down.with(5, "other"));
  }

  private static List<String> entries(PersistentMap<Integer, Integer> map) {
    List<String> entries = new ArrayList<>();
    for (PersistentMap.Entry<Integer, Integer> entry : map) {
      entries.add(entry.key() + "=" + entry.value());
    }
    return entries;
  }

  private static List<String> entriesOf(Map<Integer, Integer> map) {
    List<String> entries = new ArrayList<>();
    map.forEach((key, value) -> entries.add(key + "=" + value));
    return entries;
  }
}
