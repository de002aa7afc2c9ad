import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Gateway, openGateway } from '../../src/node/gateway.ts'
import { tokenIn } from '../support/operator.ts'
import { OPERATOR_KEY, operated } from '../support/registry-api.ts'

vi.mock('cloudflare:workers', () => import('../../src/node/workers.ts'))

const PLAIN = 'http://localhost:8787'
const SECURE = 'https://gate.example.com'

let gateway: Gateway
beforeAll(async () => {
  gateway = await openGateway({ variables: operated })
})
afterAll(() => gateway.close())

/** Signs in the operator at an origin. The cookies have the names that they have over https. */
async function signedInAt(origin: string) {
  const cookies = new Map<string, string>()
  const fetched = async (at: string, path: string, fields?: Record<string, string>) => {
    const prefix = at === PLAIN ? '' : '__Host-'
    const cookie = [...cookies].map(([name, value]) => `${prefix}${name}=${value}`).join('; ')
    const body = fields && { method: 'POST', body: new URLSearchParams(fields) }
    const headers = { cookie, origin: at, accept: 'text/html' }
    const answer = await gateway.fetch(new Request(at + path, { ...body, headers }))
    for (const it of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^(?:__Host-)?([^=]+)=([^;]*)/.exec(it) ?? []
      cookies.set(name, value)
    }
    return { location: answer.headers.get('location'), text: await answer.text() }
  }
  const form = tokenIn((await fetched(origin, '/signin/operator')).text)
  const fields = { form, key: OPERATOR_KEY }
  const { location } = await fetched(origin, '/signin/operator', fields)
  const proof = location?.split('#proof=')[1]
  return {
    proof,
    /** Sends a form to this origin, and returns the heading of the page that answers it. */
    async changes(at: string, more: Record<string, string> = {}) {
      const token = tokenIn((await fetched(at, '/console/access')).text)
      const key = { form: token, label: 'laptop', which: 'all', ...more }
      return /<h1[^>]*>([^<]*)/.exec((await fetched(at, '/console/access/keys/new', key)).text)?.[1]
    },
  }
}

const REFUSED = 'Confirm with your admin key'

test('a session that began over plain http also needs its proof over https', async () => {
  const { proof = '', changes } = await signedInAt(PLAIN)
  expect(proof).toMatch(/^\w{43}$/)
  expect(await changes(SECURE)).toBe(REFUSED)
  expect(await changes(SECURE, { proof: proof.replace(/.$/, '_') })).toBe(REFUSED)
  expect(await changes(SECURE, { proof })).not.toBe(REFUSED)
})

test('a session that began over https has no proof, and needs one over plain http', async () => {
  const { proof, changes } = await signedInAt(SECURE)
  expect(proof).toBeUndefined()
  expect(await changes(SECURE)).not.toBe(REFUSED)
  expect(await changes(PLAIN)).toBe(REFUSED)
})
