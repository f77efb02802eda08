# Builds and tests Braid on Debian 12, and leaves an image with the command in it.
#
#   docker build -t braid .
#   docker run --rm -v "$PWD:/job" -w /job braid run job.sql
FROM debian:12 AS build
WORKDIR /source
# The packages come first: their layer changes only when the list does.
COPY scripts/setup.sh scripts/packages.txt scripts/
RUN ./scripts/setup.sh && rm -rf /var/lib/apt/lists/*
COPY . .
RUN make test
RUN cmake --preset release -DBRAID_BUILD_TESTS=OFF \
 && cmake --build --preset release --parallel "$(./scripts/jobs.sh)" --target engine/all

FROM build AS braid
ENV PATH="/source/build/release/engine/cli:${PATH}"
ENTRYPOINT ["braid"]
CMD ["--help"]
