# One image for all six services and for `tools/deploy`; the command says which one a container is.
# `--target sandbox` adds the stand-ins for the platforms, for trying out only.
#
# A base image can be pinned: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /botyard
COPY package.json package-lock.json ./
COPY libs/contracts/package.json libs/contracts/
COPY libs/shared/package.json libs/shared/
COPY libs/words/package.json libs/words/
COPY services/gateway/package.json services/gateway/
COPY services/tenancy/package.json services/tenancy/
COPY services/keys/package.json services/keys/
COPY services/usage/package.json services/usage/
COPY services/webhooks/package.json services/webhooks/
COPY services/agents/package.json services/agents/
# Without what only developers need, and without the embedded servers.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
# The list of the packages comes with them; its number and time are left out, so that equal images have equal files.
RUN npm sbom --sbom-format=cyclonedx --package-lock-only --omit=dev --omit=optional \
    | node -e 'const bom = JSON.parse(require("node:fs").readFileSync(0)); delete bom.serialNumber; delete bom.metadata.timestamp; console.log(JSON.stringify(bom))' \
    > sbom.cdx.json
# What no process reads: types, source maps, documents, tests.
RUN find node_modules -type f ! -iname 'licen[cs]e*' \
      \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -iname '*.md' -o -name '*.tsbuildinfo' \) -delete \
    && find node_modules -type d \( -name test -o -name tests -o -name __tests__ -o -name example -o -name examples \) \
      -prune -exec rm -r {} + \
    && rm -f node_modules/.package-lock.json

# The console: what its build needs stays in this stage.
FROM ${NODE_IMAGE} AS console
WORKDIR /botyard
COPY package.json package-lock.json ./
COPY libs/contracts/package.json libs/contracts/
COPY libs/client/package.json libs/client/
COPY console/package.json console/
RUN npm ci --workspace=console --ignore-scripts --no-audit --no-fund
COPY libs/contracts libs/contracts
COPY libs/client libs/client
COPY console console
RUN node console/build/main.ts

FROM ${NODE_IMAGE} AS botyard
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Botyard" \
      org.opencontainers.image.description="Hosts chat bots for many tenants" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV BUILD_REVISION=${REVISION}
WORKDIR /botyard
# What a service writes is here and nowhere else. A new volume takes over the owner of these folders.
RUN install --directory --owner=node --group=node /settings /spool
COPY --from=packages /botyard/node_modules node_modules
COPY --from=packages /botyard/sbom.cdx.json ./
COPY LICENSE package.json ./
COPY libs/contracts libs/contracts
COPY libs/shared libs/shared
COPY libs/words libs/words
COPY services services
COPY tools/command-line tools/command-line
COPY tools/deploy tools/deploy
COPY tools/embedded tools/embedded
COPY tools/launcher/settings tools/launcher/settings
COPY docs/openapi.json docs/asyncapi.json docs/
COPY --from=console /botyard/console/dist console/dist
USER node
EXPOSE 8080 3001
# A shell and no new Node: six of these at rest must cost next to nothing.
HEALTHCHECK --interval=30s --timeout=3s --start-period=60s --start-interval=3s --retries=2 \
  CMD ["/botyard/tools/deploy/healthcheck"]
STOPSIGNAL SIGTERM
# As tools/launcher/processes/node-process.ts: memory that isn't needed is given back, and young objects take little.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
ENTRYPOINT ["node", "--max-semi-space-size=8"]
CMD ["services/gateway/src/main.ts"]

# For trying out: the stand-ins for messenger, mailer, identity provider, models and tools, with their page.
FROM botyard AS sandbox
COPY libs/testing libs/testing
COPY tools/sandbox tools/sandbox
COPY tools/launcher tools/launcher
USER root
RUN ln -s ../../libs/testing node_modules/@botyard/testing \
    && install --directory --owner=node --group=node /sandbox
USER node
EXPOSE 3002
HEALTHCHECK NONE
CMD ["tools/sandbox/main.ts"]

FROM botyard
