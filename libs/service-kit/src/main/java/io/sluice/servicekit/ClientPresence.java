package io.sluice.servicekit;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.BooleanSupplier;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

/**
 * Lets the handler of a request find out whether its client is still connected. The servlet API has
 * no such question before the answer is written, so Tomcat's connector is asked, by the request's
 * own thread: it looks for bytes without waiting, and the end of the connection counts as one byte.
 */
public final class ClientPresence extends ValveBase {
  private static final String ATTRIBUTE = ClientPresence.class.getName();

  /** What Tomcat says of a connection that is closed or broken: a read would find out. */
  private static final int END = 1;

  public ClientPresence() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    request.setAttribute(ATTRIBUTE, request.getCoyoteRequest());
    getNext().invoke(request, response);
  }

  /**
   * Whether the client went away; for the request's own thread. Reads what is left of the body, of
   * which nothing may be wanted any more. Without this valve nobody ever went.
   */
  public static BooleanSupplier goneFrom(HttpServletRequest request) throws IOException {
    if (!(request.getAttribute(ATTRIBUTE) instanceof org.apache.coyote.Request connection)) {
      return () -> false;
    }
    request.getInputStream().transferTo(OutputStream.nullOutputStream());
    boolean[] before = new boolean[1];
    return () -> {
      connection.action(ActionCode.AVAILABLE, true);
      boolean end = connection.getAvailable() == END;
      // A client that sent a byte of its next request would show it once only.
      boolean gone = end && before[0];
      before[0] = end;
      return gone;
    };
  }
}
