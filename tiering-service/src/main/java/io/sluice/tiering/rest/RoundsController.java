package io.sluice.tiering.rest;

import io.sluice.tiering.job.CoordinatorSession;
import io.sluice.tiering.job.RoundStatus;
import io.sluice.tiering.job.Worker;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The rounds on this worker: {@code GET /api/v1/rounds}. */
@RestController
@RequestMapping("/api/v1/rounds")
public final class RoundsController {
  private final Worker worker;
  private final CoordinatorSession session;

  public RoundsController(Worker worker, CoordinatorSession session) {
    this.worker = worker;
    this.session = session;
  }

  /**
   * Everything on this worker.
   *
   * @param items the rounds, at most a few more than there are slots
   * @param slots rounds at the same time
   * @param connected whether the coordinator hears this worker
   */
  public record RoundList(List<RoundStatus> items, int slots, boolean connected) {}

  /** The rounds that are held now. */
  @GetMapping
  public RoundList rounds() {
    return new RoundList(worker.rounds(), worker.slots(), session.connected());
  }
}
