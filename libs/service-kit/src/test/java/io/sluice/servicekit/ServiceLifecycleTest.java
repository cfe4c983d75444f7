package io.sluice.servicekit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.GenericApplicationContext;

class ServiceLifecycleTest {
  @Test
  void servingStartsAfterEveryPhaseAndStopsBeforeThem() {
    List<String> order = new ArrayList<>();
    GenericApplicationContext context = new GenericApplicationContext();
    register(context, order, "serving", LifecyclePhase.SERVING);
    context.registerBean("server", SmartLifecycle.class, () -> new LastPhase(order));
    register(context, order, "membership", LifecyclePhase.MEMBERSHIP);
    register(context, order, "engine", LifecyclePhase.ENGINE);
    context.refresh();
    context.close();
    assertThat(order)
        .containsExactly(
            "start engine",
            "start membership",
            "start server",
            "start serving",
            "stop serving",
            "stop server",
            "stop membership",
            "stop engine");
  }

  private static void register(
      GenericApplicationContext context, List<String> order, String name, LifecyclePhase phase) {
    context.registerBean(
        name,
        ServiceLifecycle.class,
        () ->
            new ServiceLifecycle(
                name, phase, () -> order.add("start " + name), () -> order.add("stop " + name)));
  }

  /** In the phase of Spring's gRPC server. */
  private static final class LastPhase implements SmartLifecycle {
    private final List<String> order;
    private boolean running;

    LastPhase(List<String> order) {
      this.order = order;
    }

    @Override
    public void start() {
      order.add("start server");
      running = true;
    }

    @Override
    public void stop() {
      order.add("stop server");
      running = false;
    }

    @Override
    public boolean isRunning() {
      return running;
    }
  }
}
