# docker build -t kornsole .
# docker run --rm -it kornsole demo
# docker run --rm -p 9080:9080 -v "$PWD:/work:ro" kornsole serve --listen 0.0.0.0:9080 --config queues.yaml
FROM rust:1.95-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends libc6-dev gcc && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# Static binaries need no libc from their image.
RUN packaging/static && mkdir /built && cp target/*-linux-*/release/kornsole target/*-linux-*/release/kornsole-job /built/

FROM debian:stable-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 kornsole
COPY --from=build /built/kornsole /built/kornsole-job /usr/local/bin/
RUN ln -s kornsole /usr/local/bin/kubectl-kornsole
USER 10001
WORKDIR /work
ENV TERM=xterm-256color COLORTERM=truecolor
EXPOSE 9080
ENTRYPOINT ["kornsole"]
CMD ["demo"]
