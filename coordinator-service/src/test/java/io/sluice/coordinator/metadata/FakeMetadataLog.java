package io.sluice.coordinator.metadata;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A metadata log in memory: applies at once, on the caller's thread. */
public final class FakeMetadataLog implements MetadataLog {
  private final List<Listener> listeners = new ArrayList<>();
  private final List<Command> commands = new ArrayList<>();
  private MetadataImage image = MetadataImage.EMPTY;
  private boolean available = true;

  /** A log of a cluster with id {@code c1} and database {@code demo}. */
  public static FakeMetadataLog withDatabase() {
    FakeMetadataLog log = new FakeMetadataLog();
    log.submit(new Command.Bootstrap("c1"));
    log.submit(new Command.CreateDatabase("demo", "", 1));
    return log;
  }

  /** Adds a listener. */
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  /** Makes submissions fail or work again. */
  public void setAvailable(boolean now) {
    available = now;
  }

  /** Everything submitted. */
  public List<Command> commands() {
    return commands;
  }

  @Override
  public CompletableFuture<Applied> submit(Command command) {
    if (!available) {
      return CompletableFuture.failedFuture(
          new SluiceException(ErrorCode.UNAVAILABLE, "The fake log is unavailable"));
    }
    commands.add(command);
    Transition transition = Transitions.apply(image.state(), command);
    image = new MetadataImage(image.index() + 1, transition.state());
    listeners.forEach(listener -> listener.applied(image, transition.events()));
    return CompletableFuture.completedFuture(new Applied(image.index(), transition.outcome()));
  }

  @Override
  public CompletableFuture<MetadataImage> readLatest() {
    return CompletableFuture.completedFuture(image);
  }

  @Override
  public MetadataImage current() {
    return image;
  }
}
