# A tablet server: rows. Much of its memory is outside of the heap (Arrow, RocksDB).
# Built from what `./sluice build` leaves in target/; the context is the root of the source tree.
FROM eclipse-temurin:17-jre-jammy AS jars
COPY tablet-service/target/lib /jars/lib
COPY tablet-service/target/tablet-service-*.jar /jars/service.jar
# Libraries of others change rarely: they get a layer of their own.
RUN mkdir -p /layers/others /layers/own/lib \
    && mv /jars/service.jar /layers/own/ \
    && mv /jars/lib/sluice-*.jar /layers/own/lib/ \
    && mv /jars/lib /layers/others/lib

FROM eclipse-temurin:17-jre-jammy
RUN groupadd --gid 10001 sluice \
    && useradd --uid 10001 --gid sluice --home-dir /app --no-create-home --shell /usr/sbin/nologin sluice \
    && mkdir -p /app /data /secret \
    && chown sluice:sluice /data /secret
COPY --from=jars /layers/others /app
COPY --from=jars /layers/own /app
COPY --chmod=0555 compose/images/is-ready /usr/local/bin/is-ready
USER sluice
WORKDIR /app
ENV SERVICE_PORT=9280
EXPOSE 9223 9280
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=12 CMD ["is-ready"]
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=35", "-XX:+ExitOnOutOfMemoryError", "-Dfile.encoding=UTF-8", \
    "-XX:MaxInlineLevel=9", "-XX:InlineSmallCode=1000", "-Dio.netty.tryReflectionSetAccessible=true", \
    "-Dio.netty.allocator.maxOrder=11", "-Dio.netty.leakDetection.level=disabled", \
    "--add-opens=java.base/java.nio=ALL-UNNAMED", "-jar", "/app/service.jar"]
