import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEndpoints } from '../src/gateway/config/endpoint.ts'
import { gateway } from '../src/gateway/index.ts'

const read = (path: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', path), 'utf8'))

test('server.json is valid for the MCP registry, and names this version', () => {
  const { name, description, version, remotes, packages } = read('server.json')
  expect(name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(description.length).toBeLessThanOrEqual(100)
  expect(version).toBe(read('package.json').version)
  const server = gateway(readEndpoints({})[0]!, { fetch, bindings: { DEMO: {} } })
  expect(version).toBe(server.version)
  for (const { url, variables, headers } of remotes) {
    const names = [...url.matchAll(/\{(\w+)\}/g)].map(([, it]) => it)
    expect(Object.keys(variables)).toEqual(names)
    expect(new URL(url.replace('{host}', variables.host.placeholder)).pathname).toBe('/mcp')
    // A key is a secret, and a public endpoint does not need one.
    for (const it of headers) expect([it.isSecret, it.isRequired]).toEqual([true, undefined])
  }

  // The registry reads the name of the server from the package.
  expect(read('package.json').mcpName).toBe(name)
  for (const it of packages) {
    expect(it.version).toBe(version)
    expect(it.transport).toEqual({ type: 'stdio' })
    const [url] = it.environmentVariables
    expect(url).toMatchObject({ name: 'DATABASE_URL', isRequired: true, isSecret: true })
  }
  const [npm, bundle] = packages
  expect([npm.registryType, npm.identifier]).toEqual(['npm', read('package.json').name])
  expect(bundle.registryType).toBe('mcpb')
  expect(bundle.identifier).toMatch(/^https:\/\/github\.com\/.*mcpb/)
  expect(bundle.identifier).toContain(`/v${version}/`)
  expect(bundle.fileSha256).toMatch(/^[\da-f]{64}$/)
})
