import type { Draft, Notes } from './draft.ts'
import { plainName, put } from './draft.ts'
import { knownScheme } from './families.ts'
import { NotRecognised } from './fault.ts'
import { POSTGRES, toldBy } from './told-engine.ts'
import { readHost } from './url-form.ts'

/** Reads `host=… user=…` of libpq, `Host=…;Username=…` of .NET and ODBC, and `mysql:host=…` of PHP. */
export function readKeywords(text: string, notes: Notes): Draft | undefined {
  const php = /^(mysql|pgsql):(?=\s*\w+\s*=)/i.exec(text)
  const body = php ? text.slice(php[0].length) : text
  if (!/^[a-z][\w .-]{0,40}=/i.test(body)) return undefined
  const words = spaced(body)
  // A password of libpq may hold a semicolon; what .NET writes has one behind each value.
  const isList = body.includes(';') && (!words || words.length < 2 || words[0]![1].includes(';'))
  const pairs = isList ? listed(body) : words
  if (!pairs?.some(([name]) => KEYS.has(plainName(name)))) return undefined
  const draft: Draft = { params: new Map() }
  for (const [name, value] of pairs) put(draft, name, value)
  const known = php ? knownScheme(php[1]!) : isList ? toldBy(pairs, draft, notes) : POSTGRES
  if (!known) throw manyEngines()
  const what = php ? 'the form of PHP' : isList ? 'the form of .NET' : 'the keywords of libpq'
  notes.changes.push(`Read ${what}.`)
  return { ...draft, family: known.family, scheme: known.scheme, ...splitHost(draft, notes) }
}

/** One of these has to be there, by its plain name. */
const KEYS = new Set([
  ...['host', 'hostname', 'hostaddr', 'server', 'datasource', 'address', 'addr', 'networkaddress'],
  ...['dbname', 'database', 'initialcatalog', 'service', 'endpoint', 'accountendpoint', 'driver'],
])

/** Splits at semicolons, as .NET does: a value may stand in quotes, whose double is one of them. */
function listed(text: string): [string, string][] {
  const pairs: [string, string][] = []
  let i = 0
  while (i < text.length) {
    const sign = text.indexOf('=', i)
    if (sign < 0) break
    const name = text.slice(i, sign).replaceAll(';', '').trim()
    let at = sign + 1
    while (text[at] === ' ') at++
    const quote = text[at]
    let value = ''
    const isQuoted = quote === '"' || quote === "'" || quote === '{'
    const close = quote === '{' ? '}' : quote
    if (isQuoted && text.indexOf(close!, at + 1) > 0) {
      for (at++; at < text.length; at++) {
        if (text[at] !== close) value += text[at]
        else if (text[at + 1] === close) value += text[at++]
        else break
      }
      const end = text.indexOf(';', at)
      i = end < 0 ? text.length : end + 1
    } else {
      const end = text.indexOf(';', at)
      value = text.slice(at, end < 0 ? text.length : end).trim()
      i = end < 0 ? text.length : end + 1
    }
    pairs.push([name, value])
  }
  return pairs
}

/** Splits at blanks, as libpq does: a value may stand in single quotes, with backslashes. */
function spaced(text: string): [string, string][] | undefined {
  const pairs: [string, string][] = []
  let i = 0
  while (i < text.length) {
    if (/[\s,]/.test(text[i]!)) {
      i++
      continue
    }
    const sign = text.indexOf('=', i)
    if (sign < 0) return undefined
    const name = text.slice(i, sign).trim()
    if (!/^\w{1,60}$/.test(name)) return undefined
    i = sign + 1
    while (text[i] === ' ') i++
    const quote = text[i] === "'" || text[i] === '"' ? text[i++] : undefined
    let value = ''
    for (; i < text.length; i++) {
      if (quote === undefined ? /\s/.test(text[i]!) : text[i] === quote) break
      if (text[i] === '\\' && i + 1 < text.length) i++
      value += text[i]
    }
    i++
    pairs.push([name, value])
  }
  return pairs
}

/** A server may be written with its port: `tcp:db.example.com,3306`. */
function splitHost({ host, port }: Draft, notes: Notes): Pick<Draft, 'host' | 'port'> {
  if (host === undefined || host.startsWith('/')) return { host, port }
  const comma = /^([^,:]*),(\d+)$/.exec(host)
  const read = readHost(comma ? `${comma[1]}:${comma[2]}` : host, notes)
  return { host: read.host, port: port ?? read.port }
}

const manyEngines = () =>
  new NotRecognised(
    'This does not say which engine it is for: SQL Server, MySQL and PostgreSQL are all written like this. Add Port=5432 for PostgreSQL or Port=3306 for MySQL or MariaDB.',
    'engine',
  )
