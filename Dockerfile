# bookworm-slim and not alpine: the Temporal SDK's native core needs glibc.
FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:20.20.2-bookworm-slim
# glibc keeps freed memory, at the end of each of its arenas and in large pieces: a fifth of a worker.
ENV MALLOC_ARENA_MAX=2 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    NODE_ENV=production \
    DILIGENCE_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY plans ./plans
COPY docker/health.cjs ./docker/
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["node", "docker/health.cjs"]
STOPSIGNAL SIGTERM
CMD ["node", "dist/main.js", "worker"]
