package io.sluice.coordinator.rest;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import io.sluice.coordinator.metadata.CoordinatorGroup;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import io.sluice.coordinator.metadata.CoordinatorMembers;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * {@code /api/v1/coordinators}: who they are, which any of them answers for itself, and the change
 * of one.
 */
@RestController
@RequestMapping("/api/v1/coordinators")
public final class CoordinatorsController {
  private final CoordinatorMembers coordinators;

  public CoordinatorsController(CoordinatorMembers coordinators) {
    this.coordinators = coordinators;
  }

  /** A coordinator as its group knows it. */
  record MemberView(
      String id, String host, int raftPort, int grpcPort, int httpPort, boolean leads) {}

  /** The group as the one that answers sees it. */
  record GroupView(
      String self,
      String role,
      @Nullable String leader,
      long term,
      long index,
      List<MemberView> members) {
    static GroupView of(CoordinatorGroup group) {
      return new GroupView(
          group.self(),
          group.role().name(),
          group.leader(),
          group.term(),
          group.index(),
          group.members().stream()
              .map(
                  member ->
                      new MemberView(
                          member.id(),
                          member.host(),
                          member.raftPort(),
                          member.grpcPort(),
                          member.httpPort(),
                          member.id().equals(group.leader())))
              .toList());
    }
  }

  /** Where the one that joins is. */
  record Joining(
      @NotNull(message = "is missing") @Pattern(
              regexp = "[A-Za-z0-9_-]{1,32}",
              message = "must be 1 to 32 letters, digits, _ or -")
          String id,
      @NotNull(message = "is missing") @Pattern(regexp = "[^\\s:/]{1,253}", message = "must be a host name or address") String host,
      @Min(1) @Max(65535) int raftPort,
      @Min(1) @Max(65535) int grpcPort,
      @Nullable @Min(1) @Max(65535) Integer httpPort) {}

  /** The body of a change; one of the two may be left out. */
  record Change(@Nullable String leaving, @Nullable @Valid Joining joining) {}

  @GetMapping
  GroupView group() {
    return GroupView.of(coordinators.group());
  }

  /** Takes one out and another one in. */
  @PostMapping("/change")
  GroupView change(@Valid @RequestBody Change body) {
    if (body.leaving() == null && body.joining() == null) {
      throw new SluiceException(
          ErrorCode.INVALID_ARGUMENT, "leaving and joining are both missing; name one or both");
    }
    Joining joining = body.joining();
    CompletableFuture<CoordinatorGroup> changed =
        coordinators.change(
            body.leaving(),
            joining == null
                ? null
                : new Member(
                    joining.id(),
                    joining.host(),
                    joining.raftPort(),
                    joining.grpcPort(),
                    joining.httpPort() == null ? 0 : joining.httpPort()));
    return GroupView.of(Answers.awaitChange(changed));
  }
}
