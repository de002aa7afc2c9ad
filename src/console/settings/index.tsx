export { settings } from './deployment.tsx'
export { endpointSettings } from './endpoint-settings.tsx'
