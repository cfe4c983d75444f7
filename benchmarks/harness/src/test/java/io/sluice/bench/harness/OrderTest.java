package io.sluice.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OrderTest {
  @Test
  void aLineIsAVerbWithValues() {
    Order order = Order.parse("scan table=t schema=narrow codec=zstd buckets=4 columns=0,5");

    assertThat(order.verb()).isEqualTo("scan");
    assertThat(order.table())
        .isEqualTo(new TargetTable("t", order.table().schema(), "zstd", 4, false, 1));
    assertThat(order.table().schema().name()).isEqualTo("narrow");
    assertThat(order.numbers("columns")).containsExactly(0, 5);
    assertThat(order.numberOrZero("rows")).isZero();
    assertThat(Order.parse("x table=t schema=narrow codec=zstd buckets=4 replicas=3").table())
        .isEqualTo(new TargetTable("t", order.table().schema(), "zstd", 4, false, 3));
  }

  @Test
  void settingsAreTheProductsOwn() {
    Settings settings =
        Order.parse("append set.producer.linger.ms=1 set.form=arrow rows=5").settings();

    assertThat(settings.value("form")).contains("arrow");
    assertThat(settings.value("rows")).isEmpty();
    assertThat(settings.under("producer.")).isEqualTo(Map.of("linger.ms", "1"));
    assertThat(settings)
        .isEqualTo(new Settings(Map.of("form", "arrow", "producer.linger.ms", "1")))
        .hasSameHashCodeAs(new Settings(Map.of("form", "arrow", "producer.linger.ms", "1")));
  }

  @Test
  void aMissingOrMalformedWordIsNamed() {
    assertThatThrownBy(() -> Order.parse("scan rows")).hasMessageContaining("'rows'");
    assertThatThrownBy(() -> Order.parse("scan").number("rows")).hasMessage("scan needs rows=...");
  }
}
