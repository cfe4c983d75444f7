package io.sluice.coordinator.rest;

import io.sluice.coordinator.metadata.CoordinatorGroup;
import io.sluice.coordinator.metadata.CoordinatorGroup.Member;
import io.sluice.coordinator.metadata.CoordinatorGroup.Role;
import io.sluice.coordinator.metadata.CoordinatorMembers;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Sends requests of the REST API to the coordinator that leads, with 307 and the same path and
 * query there: the method and the body stay. While no leader is known the handlers answer, with 503
 * NOT_COORDINATOR_LEADER where they need one.
 */
public final class LeaderRedirect implements HandlerInterceptor {
  private final CoordinatorMembers coordinators;

  public LeaderRedirect(CoordinatorMembers coordinators) {
    this.coordinators = coordinators;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    CoordinatorGroup group = coordinators.group();
    Member leader = group.member(group.leader());
    if (group.role() == Role.LEADER
        || leader == null
        || leader.id().equals(group.self())
        || leader.httpPort() == 0) {
      return true;
    }
    String query = request.getQueryString();
    response.setStatus(HttpStatus.TEMPORARY_REDIRECT.value());
    response.setHeader(
        HttpHeaders.LOCATION,
        request.getScheme()
            + "://"
            + leader.httpAddress()
            + request.getRequestURI()
            + (query == null ? "" : "?" + query));
    // Who leads now need not lead a moment later.
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    return false;
  }
}
