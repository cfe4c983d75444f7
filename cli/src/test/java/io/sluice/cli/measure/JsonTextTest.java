package io.sluice.cli.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTextTest {
  @Test
  void writesOneLine() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", "a\"b\\c\n\u0001é");
    map.put("whole", 7L);
    map.put("half", 0.5);
    map.put("round", 1_000_000.0);
    map.put("nan", Double.NaN);
    map.put("none", null);
    map.put("list", List.of(true, 1));
    map.put("empty", Map.of());

    assertThat(JsonText.compact(map))
        .isEqualTo(
            "{\"text\":\"a\\\"b\\\\c\\n\\u0001é\",\"whole\":7,\"half\":0.5,\"round\":1000000,"
                + "\"nan\":null,\"none\":null,\"list\":[true,1],\"empty\":{}}");
  }

  @Test
  void indentsWhenAsked() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("a", List.of(1, 2));
    map.put("b", List.of());

    assertThat(JsonText.pretty(map))
        .isEqualTo(
            """
            {
              "a": [
                1,
                2
              ],
              "b": []
            }
            """);
  }
}
