import { randomBytes } from 'node:crypto'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
// @ts-expect-error: plain JavaScript
import { bundle } from '../../bench/build.mjs'
// @ts-expect-error: plain JavaScript
import { configure, start } from '../../bench/workerd.mjs'
import { Browser } from '../support/browser.ts'
import { targetOf } from '../support/plain-worker.ts'
import { operated } from '../support/registry-api.ts'
import { type Front, listen, startFront } from './front.ts'
import { documents } from './metadata-documents.ts'

/** A Worker that people sign in to. Its address and its storage outlive its restarts and its deploys. */
export interface Deployment extends Omit<Front, 'close'> {
  /** What it has logged since it started last. */
  log(): string
  /** Stops it, and starts it again on what it has stored. */
  restart(): Promise<void>
  /** As `restart`, but what starts is another build. */
  deploy(): Promise<void>
  /** As `restart`, but with another TIDEGATE_SECRET, and the one before as the previous one. */
  replaceSecret(): Promise<void>
  /** As `restart`, but after the life of every access token. */
  outliveAccessTokens(): Promise<void>
  stop(): Promise<void>
}

const PASSPHRASE = 'orbit-velvet-canyon-thimble-42'

/** The browser of somebody who knows the passphrase, and allows what they are asked. */
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

/** Starts the Worker with two endpoints, and with the metadata documents of published clients in its reach. */
export async function startDeployment(): Promise<Deployment> {
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
        const previous = { TIDEGATE_SECRET_PREVIOUS: vars.TIDEGATE_SECRET }
        vars = { ...vars, ...previous, TIDEGATE_SECRET: randomBytes(32).toString('base64url') }
      }),
    outliveAccessTokens: () => restart(() => endAccessTokens(place)),
    async stop() {
      await worker.stop()
      front.close()
      internet.close()
    },
  }
}

/** Deletes what the authorization server keeps of access tokens, as it does with those that have expired. */
function endAccessTokens(place: string): void {
  let ended = 0
  for (const file of globSync('objects/Authorization/*.sqlite', { cwd: place })) {
    const storage = new DatabaseSync(join(place, file))
    const tables = storage.prepare("select 1 from sqlite_schema where name = 'entries'").all()
    if (tables.length > 0) {
      const { changes } = storage.prepare("delete from entries where key like 'token:%'").run()
      ended += Number(changes)
    }
    storage.close()
  }
  if (ended === 0) throw new Error('There was no access token that could have expired.')
}
