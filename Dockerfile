# Builds one image that contains only Node, the bridge and its packages. It has no shell, does not run as root, and stores data
# only in /data.

# Names the image of Node by its digest, so that every build starts from the same bytes. To get the digest of another version
# for all machines, run `docker buildx imagetools inspect node:24.21.0-bookworm-slim` with that version.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json tsconfig.types.json ./
COPY bin bin
COPY src src
COPY adapters adapters
COPY sandbox sandbox
RUN node bin/build.js

FROM ${NODE_IMAGE} AS image
WORKDIR /image/app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund
# Copies Node and the libraries that it loads, with their paths.
RUN cp --parents -L /usr/local/bin/node $(ldd /usr/local/bin/node | grep -o '/[^ ]*') /image \
 && mkdir -p /image/data /image/tmp /image/etc \
 && echo 'parley:x:10001:10001::/app:/none' > /image/etc/passwd \
 && chown 10001:10001 /image/data /image/tmp

FROM scratch
COPY --from=image /image /
COPY --from=build /app/dist /app/dist
COPY README.md /app/
COPY docs /app/docs
COPY manifests/teams /app/manifests/teams
COPY sandbox/corpus /app/sandbox/corpus
COPY templates /app/templates
COPY bin/parley.js bin/first-step.js /app/bin/
WORKDIR /app
USER 10001:10001
# With this host, other machines can reach the console, so it needs PARLEY_CONSOLE_TOKEN or PARLEY_CONSOLE_TOKEN_FILE.
ENV NODE_ENV=production NODE_DISABLE_COMPILE_CACHE=1 PATH=/usr/local/bin \
    PARLEY_DATA=/data PARLEY_HOST=0.0.0.0 PARLEY_LOG_FORMAT=json
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=8s --start-period=20s \
  CMD ["/usr/local/bin/node", "/app/bin/parley.js", "health"]
# Without this flag, V8 lets its space for new objects grow to 128 MiB; see docs/operating.md.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=8", "/app/bin/parley.js"]
CMD ["start"]
