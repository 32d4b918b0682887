# One image for all six services; which one a container is, its command says.
FROM node:26-bookworm-slim AS packages
WORKDIR /botyard
COPY package.json package-lock.json ./
COPY libs/shared/package.json libs/shared/
COPY services/gateway/package.json services/gateway/
COPY services/tenancy/package.json services/tenancy/
COPY services/keys/package.json services/keys/
COPY services/usage/package.json services/usage/
COPY services/webhooks/package.json services/webhooks/
COPY services/agents/package.json services/agents/
# Without what only developers need, and without the embedded servers.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:26-bookworm-slim
ENV NODE_ENV=production
WORKDIR /botyard
COPY --from=packages /botyard/node_modules node_modules
COPY package.json ./
COPY libs libs
COPY services services
COPY tools tools
COPY docs docs
# Settings and the compile cache are the only things that are ever written.
RUN install --directory --owner=node --group=node /settings
USER node
EXPOSE 8080 3001
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "tools/deploy/healthcheck.ts"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node"]
CMD ["services/gateway/src/main.ts"]
