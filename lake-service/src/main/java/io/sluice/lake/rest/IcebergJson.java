package io.sluice.lake.rest;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.rest.RESTSerializers;

/** The JSON of the REST catalog, as Iceberg's own client reads and writes it. */
final class IcebergJson {
  private static final int MAX_DEPTH = 100;
  private static final ObjectMapper MAPPER = mapper();

  private IcebergJson() {}

  private static ObjectMapper mapper() {
    JsonFactory factory =
        new JsonFactoryBuilder()
            .streamReadConstraints(
                StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .build();
    ObjectMapper mapper = new ObjectMapper(factory);
    mapper.setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);
    mapper.configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
    mapper.setPropertyNamingStrategy(new PropertyNamingStrategies.KebabCaseStrategy());
    RESTSerializers.registerAll(mapper);
    return mapper;
  }

  /** Reads a request. BadRequestException when it is not one. */
  static <T> T read(InputStream in, Class<T> type) throws IOException {
    T read;
    try {
      read = MAPPER.readValue(in, type);
    } catch (JsonProcessingException e) {
      throw new BadRequestException(e, "Cannot read the request body: %s", e.getOriginalMessage());
    }
    if (read == null) {
      throw new BadRequestException("The request body is empty");
    }
    return read;
  }

  static byte[] bytes(Object answer) throws JsonProcessingException {
    return MAPPER.writeValueAsBytes(answer);
  }

  static void write(OutputStream out, Object answer) throws IOException {
    out.write(bytes(answer));
  }
}
