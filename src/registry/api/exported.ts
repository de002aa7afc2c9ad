import * as z from 'zod/mini'
import { endpointSchema } from '../../gateway/index.ts'
import { groupValue } from './group-body.ts'
import { claims, idText, person } from './keys.ts'
import { moment, named, text, upTo } from './lists.ts'
import { settingsValue } from './settings.ts'

/** Up to the end of the year 9999, which is the latest time that the API can write. */
const milliseconds = z.int().check(z.gte(0), z.lt(Date.UTC(10_000, 0)))
const credentialIdText = z.string().check(z.regex(/^[A-Za-z0-9]{1,32}$/, 'must be an id'))

/** A sealed connection string. Only the TIDEGATE_SECRET that sealed it can open it. */
const credential = z.strictObject({
  id: credentialIdText,
  endpoint: text(31),
  database: text(31),
  group: z.optional(text(31)),
  scheme: text(30),
  host: upTo(300),
  sealed: z.strictObject({ keyId: text(100), iv: text(100), text: text(10_000) }),
  setAt: milliseconds,
})

const credentials = z.record(credentialIdText, credential)

const endpoint = z.strictObject({
  name: text(31),
  active: z.boolean(),
  value: endpointSchema(),
  credentials,
  createdAt: milliseconds,
  restoredAt: z.optional(milliseconds),
  changedAt: milliseconds,
})

const key = z.strictObject({
  id: idText,
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a hash')),
  label: text(80),
  endpoints: z.array(text(31)).check(z.maxLength(100)),
  scopes: z.array(text(40)).check(z.maxLength(10)),
  person: z.optional(person),
  claims: z.optional(claims),
  createdAt: milliseconds,
  changedAt: milliseconds,
  expiresAt: z.optional(milliseconds),
  usedAt: z.optional(milliseconds),
})

const group = z.extend(groupValue, { credentials, changedAt: milliseconds })

/** The whole contents of a registry. */
export const exported = named(
  'Export',
  z.strictObject({
    format: z.literal('tidegate-registry-1'),
    exportedAt: moment,
    settings: settingsValue,
    endpoints: z.array(endpoint).check(z.maxLength(20_000)),
    keys: z.array(key).check(z.maxLength(50_000)),
    groups: z.array(group).check(z.maxLength(2_000)),
  }),
)
