# Tidegate on Node, over HTTP. docs/deploy.md shows how to run it.
FROM node:26-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY scripts/node/package.json scripts/node/
RUN npm ci
COPY . .
RUN npm pack --ignore-scripts=false
# The package as anybody installs it, and the list of what is in it.
WORKDIR /app
RUN npm init --yes >/dev/null && npm install --omit=dev --ignore-scripts --no-audit --no-fund /build/tidegate-*.tgz
RUN npm sbom --omit=dev --sbom-format=spdx > sbom.spdx.json

FROM node:26-alpine
LABEL org.opencontainers.image.title="Tidegate" org.opencontainers.image.licenses="MIT" org.opencontainers.image.source="https://github.com/tidegate/tidegate"
# For databases behind an SSH server.
RUN apk add --no-cache openssh-client-default
# Nothing is installed while it runs.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx
COPY --from=build /app /app
RUN mkdir /state && chown 1000:1000 /state
# Its files are nobody else's, whoever owns them outside.
ENV NODE_ENV=production container=oci
USER 1000:1000
WORKDIR /app
EXPOSE 8787
VOLUME /state
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:8787/health').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/node_modules/tidegate/bin/tidegate.mjs"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8787", "--state", "/state/tidegate.sqlite"]
