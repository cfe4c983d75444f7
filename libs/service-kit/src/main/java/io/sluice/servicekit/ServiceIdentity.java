package io.sluice.servicekit;

/**
 * Who this process is, for logs, metrics and error messages.
 *
 * @param service kind of service, for example {@code coordinator} or {@code tablet}
 * @param id which of its kind, for example {@code 1}
 * @param version version of this build
 */
public record ServiceIdentity(String service, String id, String version) {
  /** An identity whose version is that of the jar the class came from. */
  public static ServiceIdentity of(String service, String id, Class<?> application) {
    String version = application.getPackage().getImplementationVersion();
    return new ServiceIdentity(service, id, version == null ? "development" : version);
  }

  @Override
  public String toString() {
    return service + "-" + id;
  }
}
