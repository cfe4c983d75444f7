# The lake service; sluice.lake.role=lake or sql says in which role. DuckDB's memory is outside of the heap.
# Built from what `./sluice build` leaves in target/; the context is the root of the source tree.
FROM eclipse-temurin:17-jre-jammy AS jars
COPY lake-service/target/lib /jars/lib
COPY lake-service/target/lake-service-*.jar /jars/service.jar
# Libraries of others change rarely: they get a layer of their own.
RUN mkdir -p /layers/others /layers/own/lib \
    && mv /jars/service.jar /layers/own/ \
    && mv /jars/lib/sluice-*.jar /layers/own/lib/ \
    && mv /jars/lib /layers/others/lib

FROM eclipse-temurin:17-jre-jammy
RUN groupadd --gid 10001 sluice \
    && useradd --uid 10001 --gid sluice --home-dir /app --no-create-home --shell /usr/sbin/nologin sluice \
    && mkdir -p /app /data /secret /warehouse \
    && chown sluice:sluice /data /secret /warehouse
COPY --from=jars /layers/others /app
COPY --from=jars /layers/own /app
COPY --chmod=0555 compose/images/is-ready /usr/local/bin/is-ready
USER sluice
WORKDIR /app
ENV SERVICE_PORT=9480
EXPOSE 9423 9480 9523 9580
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=12 CMD ["is-ready"]
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=35", "-XX:+ExitOnOutOfMemoryError", "-Dfile.encoding=UTF-8", \
    "--add-opens=java.base/java.nio=ALL-UNNAMED", "-jar", "/app/service.jar"]
