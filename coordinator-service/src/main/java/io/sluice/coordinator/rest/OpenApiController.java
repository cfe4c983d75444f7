package io.sluice.coordinator.rest;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the OpenAPI document, which a test compares with the real routes. */
@RestController
public final class OpenApiController {
  private static final Resource DOCUMENT = new ClassPathResource("openapi.json");

  @GetMapping("/v3/api-docs")
  ResponseEntity<Resource> document() {
    return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(DOCUMENT);
  }
}
