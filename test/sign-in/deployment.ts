import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
// @ts-expect-error: plain JavaScript
import { bundle } from '../../bench/build.mjs'
// @ts-expect-error: plain JavaScript
import { configure, start } from '../../bench/workerd.mjs'
import { Browser } from '../support/browser.ts'
import { onNode, onPackage, startNodeWorker } from '../support/node-worker.ts'
import { startPackedWorker } from '../support/packed-worker.ts'
import { targetOf } from '../support/plain-worker.ts'
import { operated } from '../support/registry-api.ts'
import { type Front, listen, startFront } from './front.ts'
import { documents } from './metadata-documents.ts'

/** A Worker that people sign in to. Its address and its storage outlive its restarts and its deploys. */
export interface Deployment extends Omit<Front, 'close'> {
  /** The log since the last start. */
  log(): string
  /** Stops the Worker, and starts it again on its stored data. */
  restart(): Promise<void>
  /** Like `restart`, but starts another build. */
  deploy(): Promise<void>
  /** Like `restart`, but with another TIDEGATE_SECRET, and the old secret as the previous secret. */
  replaceSecret(): Promise<void>
  /** Like `restart`, but after every access token has expired. */
  outliveAccessTokens(): Promise<void>
  stop(): Promise<void>
}

const PASSPHRASE = 'orbit-velvet-canyon-thimble-42'

/** The browser of a person who knows the passphrase, and allows every request. */
export const person = (): Browser =>
  new Browser({ fields: { passphrase: PASSPHRASE }, buttons: { decision: 'allow' } })

const databases = { shop: { url: 'demo:' } }
const VARS = {
  ...operated,
  TIDEGATE_PASSPHRASE: PASSPHRASE,
  ENDPOINTS: JSON.stringify([
    { name: 'shop', title: 'Shop', databases },
    { name: 'ledger', title: 'Ledger', databases },
  ]),
}

type Module = readonly [name: string, code: string]
let built: Promise<{ readonly modules: readonly [Module, ...Module[]] }> | undefined

/** True if apps can use a metadata document. The gateway on Node fetches only public addresses. */
export const hasDocuments = !onNode

/** Starts the gateway with two endpoints, in workerd or on Node. */
export const startDeployment = (): Promise<Deployment> =>
  onNode ? startOnNode() : startInWorkerd()

const serve = (vars: typeof VARS, state: string, origin: string) =>
  onPackage
    ? startPackedWorker(vars, '--state', state, '--origin', origin)
    : startNodeWorker(vars, undefined, state)

/** Starts it on Node, from the sources or the tarball, with its data in a state file. */
async function startOnNode(): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'signed-in-'))
  const state = join(folder, 'state.sqlite')
  let vars = VARS
  let port = 0
  const front = await startFront(() => port)
  const started = async () => {
    const worker = await serve(vars, state, front.url)
    port = Number(new URL(worker.url).port)
    return worker
  }
  let worker = await started()
  const restart = async (meanwhile = () => {}) => {
    await worker.close()
    meanwhile()
    worker = await started()
  }
  return {
    ...front,
    log: () => worker.logs().join('\n'),
    restart,
    deploy: restart,
    replaceSecret: () =>
      restart(() => {
        vars = withAnotherSecret(vars)
      }),
    outliveAccessTokens: () =>
      restart(() => endAccessTokens(globSync(`${state}.objects/authorization-*.sqlite`))),
    async stop() {
      await worker.close()
      front.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Starts the Worker, with access to the metadata documents of published clients. */
async function startInWorkerd(): Promise<Deployment> {
  const internet = await listen(({ headers, url }, response) => {
    const found = documents[`https://${headers.host}${url}`]
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ?? {}))
  })
  built ??= bundle(targetOf(VARS))
  let [{ modules }, vars, builds] = [await built!, VARS, 1]
  const write = (place?: string): string =>
    configure({ ...targetOf(vars), internet: `127.0.0.1:${internet.port}` }, { modules }, place)
  const place = write()
  let worker = await start(place)
  const front = await startFront(() => worker.port)
  const restart = async (meanwhile: () => void) => {
    await worker.stop()
    try {
      meanwhile()
      write(place)
    } finally {
      worker = await start(place)
    }
  }
  return {
    ...front,
    log: () => worker.log(),
    restart: () => restart(() => {}),
    deploy: () =>
      restart(() => {
        const [[name, code], ...rest] = modules
        modules = [[name, `${code}\n// build ${++builds}\n`], ...rest]
      }),
    replaceSecret: () =>
      restart(() => {
        vars = withAnotherSecret(vars)
      }),
    outliveAccessTokens: () =>
      restart(() => endAccessTokens(globSync(join(place, 'objects/Authorization/*.sqlite')))),
    async stop() {
      await worker.stop()
      front.close()
      internet.close()
    },
  }
}

const withAnotherSecret = (vars: typeof VARS): typeof VARS => {
  const previous = { TIDEGATE_SECRET_PREVIOUS: vars.TIDEGATE_SECRET }
  return { ...vars, ...previous, TIDEGATE_SECRET: randomBytes(32).toString('base64url') }
}

/** Deletes the authorization server's entries for access tokens, as if they had expired. */
function endAccessTokens(files: readonly string[]): void {
  let ended = 0
  for (const file of files) {
    const storage = new DatabaseSync(file)
    const tables = storage.prepare("select 1 from sqlite_schema where name = 'entries'").all()
    if (tables.length > 0) {
      const { changes } = storage.prepare("delete from entries where key like 'token:%'").run()
      ended += Number(changes)
    }
    storage.close()
  }
  if (ended === 0) throw new Error('There was no access token that could have expired.')
}
