/** What .dev.vars of this machine may hold, and no test may depend on: none of it is set. */
export const noVars = {
  DATABASE_URL: '',
  ENDPOINTS: '',
  LEGACY_SSE: '',
  ORIGINS: '',
  OTEL_EXPORTER_OTLP_ENDPOINT: '',
  OTEL_EXPORTER_OTLP_HEADERS: '',
  PRIVATE_HOSTS: '',
  REGISTRY_REPLICAS: '',
  TIDEGATE_KEY: '',
  TIDEGATE_SECRET: '',
  TIDEGATE_SECRET_PREVIOUS: '',
}
