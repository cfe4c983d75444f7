package io.sluice.adminui.web;

import io.sluice.common.ErrorCode;
import io.sluice.common.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.DigestUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * Every address of the web application: each is answered with the same page, whose script reads the
 * address. The page is asked for again each time, as it names the files of the current build.
 */
@RestController
public final class ConsolePages {
  private static final MediaType HTML = new MediaType(MediaType.TEXT_HTML, StandardCharsets.UTF_8);

  private final byte[] page;
  private final String tag;

  /** The pages made of the given index.html. */
  public ConsolePages(Resource index) {
    try {
      page = index.getContentAsByteArray();
    } catch (IOException missing) {
      throw new UncheckedIOException(
          "The web application is not in this build (no " + index.getDescription() + ")", missing);
    }
    tag = '"' + DigestUtils.md5DigestAsHex(page) + '"';
  }

  @GetMapping({
    "/",
    "/tiering",
    "/tables",
    "/tables/{database}/{table}",
    "/servers",
    "/sql",
  })
  ResponseEntity<byte[]> page() {
    return ResponseEntity.ok()
        .contentType(HTML)
        .cacheControl(CacheControl.noCache())
        .eTag(tag)
        .body(page);
  }

  /** An address that somebody mistyped; files and API paths have their own handlers. */
  @GetMapping(path = "/{*path}", produces = MediaType.TEXT_HTML_VALUE)
  ResponseEntity<byte[]> unknownPage() {
    return ResponseEntity.status(404)
        .contentType(HTML)
        .cacheControl(CacheControl.noStore())
        .body(page);
  }

  /** The same, asked for by a program. */
  @GetMapping("/{*path}")
  ResponseEntity<byte[]> nothing(@PathVariable String path) {
    throw new SluiceException(ErrorCode.NOT_FOUND, "There is nothing here: " + path);
  }
}
