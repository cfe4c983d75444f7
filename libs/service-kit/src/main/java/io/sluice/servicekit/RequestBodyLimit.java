package io.sluice.servicekit;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.ResponseStatusException;

/**
 * Bounds the body of a REST request. A larger one is answered 413 by the code that reads it, before
 * it is in memory: a service's heap is small, and running out of it ends the process.
 */
final class RequestBodyLimit extends OncePerRequestFilter {
  /** Larger than any definition that the metadata log takes. */
  static final int MAX_BYTES = 4 * 1024 * 1024;

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    chain.doFilter(new LimitedRequest(request), response);
  }

  private static ResponseStatusException tooLarge(String found) {
    return new ResponseStatusException(
        HttpStatusCode.valueOf(413),
        "The request body has " + found + " bytes; at most " + MAX_BYTES + " are accepted");
  }

  /** A request whose body cannot be read beyond the limit. */
  private static final class LimitedRequest extends HttpServletRequestWrapper {
    LimitedRequest(HttpServletRequest request) {
      super(request);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      if (getContentLengthLong() > MAX_BYTES) {
        throw tooLarge(Long.toString(getContentLengthLong()));
      }
      return new LimitedStream(super.getInputStream());
    }

    @Override
    public BufferedReader getReader() throws IOException {
      String encoding = getCharacterEncoding();
      return new BufferedReader(
          new InputStreamReader(
              getInputStream(), encoding == null ? StandardCharsets.UTF_8.name() : encoding));
    }
  }

  /** Counts what is read; the length of a chunked body is not known before. */
  private static final class LimitedStream extends ServletInputStream {
    private final ServletInputStream in;
    private long read;

    LimitedStream(ServletInputStream in) {
      this.in = in;
    }

    private void count(long bytes) {
      read += Math.max(bytes, 0);
      if (read > MAX_BYTES) {
        throw tooLarge("more than " + MAX_BYTES);
      }
    }

    @Override
    public int read() throws IOException {
      int b = in.read();
      count(b < 0 ? 0 : 1);
      return b;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int bytes = in.read(target, offset, length);
      count(bytes);
      return bytes;
    }

    @Override
    public boolean isFinished() {
      return in.isFinished();
    }

    @Override
    public boolean isReady() {
      return in.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      in.setReadListener(listener);
    }
  }
}
