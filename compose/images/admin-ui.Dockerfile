# The web console.
# Built from what `./sluice build` leaves in target/; the context is the root of the source tree.
FROM eclipse-temurin:17-jre-jammy AS jars
COPY admin-ui/target/lib /jars/lib
COPY admin-ui/target/admin-ui-*.jar /jars/service.jar
# Libraries of others change rarely: they get a layer of their own.
RUN mkdir -p /layers/others /layers/own/lib \
    && mv /jars/service.jar /layers/own/ \
    && mv /jars/lib/sluice-*.jar /layers/own/lib/ \
    && mv /jars/lib /layers/others/lib

FROM eclipse-temurin:17-jre-jammy
RUN groupadd --gid 10001 sluice \
    && useradd --uid 10001 --gid sluice --home-dir /app --no-create-home --shell /usr/sbin/nologin sluice \
    && mkdir -p /app /secret \
    && chown sluice:sluice /secret
COPY --from=jars /layers/others /app
COPY --from=jars /layers/own /app
COPY --chmod=0555 compose/images/is-ready /usr/local/bin/is-ready
USER sluice
WORKDIR /app
ENV SERVICE_PORT=8080
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=12 CMD ["is-ready"]
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=60", "-XX:+ExitOnOutOfMemoryError", "-Dfile.encoding=UTF-8", \
    "--add-opens=java.base/java.nio=ALL-UNNAMED", "-jar", "/app/service.jar"]
