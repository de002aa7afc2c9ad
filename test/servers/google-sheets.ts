import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { googleTokens, type ServiceAccount, serviceAccount } from './google-token.ts'

const TOKEN_URL = 'https://oauth2.googleapis.com/token'
const SCOPES = ['spreadsheets', 'drive', 'drive.file'].map(
  (it) => `https://www.googleapis.com/auth/${it}`,
)

type Cell = string | number | boolean | { readonly formula: string }

/** A spreadsheet: its tabs by name, and its editors. */
export interface Spreadsheet {
  readonly tabs: Readonly<Record<string, Cell[][]>>
  readonly editors: readonly string[]
}

/** A server that answers like Google's token server and Google Sheets. */
export interface GoogleSheets {
  /** The base of the Sheets API, which is https://sheets.googleapis.com at Google. */
  readonly url: string
  readonly tokenUrl: string
  readonly account: ServiceAccount
  /** By id. */
  readonly spreadsheets: Map<string, Spreadsheet>
  /** The answers of its token server, in short. */
  readonly tokens: readonly string[]
  /** The answers of Sheets, in short. */
  readonly answers: readonly string[]
  /** Revokes all tokens. */
  revoke(): void
  close(): Promise<void>
}

/** Its settings, which can change while it runs. */
export interface Rules {
  /** The number of write requests per minute and user. */
  writes: number
  /** True if the Sheets API is enabled in the project. */
  enabled: boolean
  /** Answers a request instead of the service, like a fault of the service. */
  fault?: ((response: ServerResponse) => void) | undefined
}

/**
 * Starts one. It verifies the signature, the audience, the scope and the times of the JWT in a request for a
 * token, and answers `spreadsheets.values.append` as in
 * https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values/append, with the
 * errors of https://cloud.google.com/apis/design/errors and the quota of
 * https://developers.google.com/workspace/sheets/api/limits
 *
 * @param seconds The lifetime of a token.
 */
export async function startGoogleSheets(
  rules: Rules = { writes: 60, enabled: true },
  seconds = 3_599,
): Promise<GoogleSheets> {
  const account = serviceAccount()
  const google = googleTokens([account], seconds)
  const spreadsheets = new Map<string, Spreadsheet>()
  const answers: string[] = []
  /** The expiry of each token. */
  const ends = new Map<string, number>()
  let written: number[] = []

  const giveToken = async (request: IncomingMessage, response: ServerResponse) => {
    const init = {
      method: request.method ?? '',
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      body: await textOf(request),
    }
    const answer = await google.fetch(TOKEN_URL, init)
    const body = (await answer.json()) as { access_token?: string }
    if (body.access_token) ends.set(body.access_token, Date.now() + seconds * 1_000)
    response
      .writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(body))
  }

  const append = async (request: IncomingMessage, response: ServerResponse) => {
    const send = (status: number, body: object) => {
      answers.push(`append ${status}`)
      response
        .writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
        .end(JSON.stringify(body))
    }
    const refuse = (code: number, status: string, message: string, reason?: string) => {
      const details = reason && [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' },
      ]
      send(code, { error: { code, message, status, ...(details && { details }) } })
    }
    const body = await textOf(request)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://sheets')
    const [, id = '', encoded = ''] =
      /^\/v4\/spreadsheets\/([^/]+)\/values\/([^/]+):append$/.exec(pathname) ?? []
    if (!id || request.method !== 'POST') return response.writeHead(404).end('<!DOCTYPE html>')
    const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? []
    if (!((ends.get(token) ?? 0) > Date.now())) {
      const why = 'Request had invalid authentication credentials. Expected OAuth 2 access token.'
      return refuse(401, 'UNAUTHENTICATED', why, 'ACCESS_TOKEN_EXPIRED')
    }
    if (!SCOPES.some((scope) => google.gave(token, account.email, scope))) {
      const why = 'Request had insufficient authentication scopes.'
      return refuse(403, 'PERMISSION_DENIED', why, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT')
    }
    if (!rules.enabled) {
      const why = 'Google Sheets API has not been used in project 123 before or it is disabled.'
      return refuse(403, 'PERMISSION_DENIED', why, 'SERVICE_DISABLED')
    }
    written = written.filter((at) => at > Date.now() - 60_000)
    if (written.length >= rules.writes) {
      const why =
        "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user' of service 'sheets.googleapis.com' for consumer 'project_number:123'."
      return refuse(429, 'RESOURCE_EXHAUSTED', why, 'RATE_LIMIT_EXCEEDED')
    }
    written.push(Date.now())
    const spreadsheet = spreadsheets.get(id)
    if (!spreadsheet) return refuse(404, 'NOT_FOUND', 'Requested entity was not found.')
    if (!spreadsheet.editors.includes(account.email)) {
      return refuse(403, 'PERMISSION_DENIED', 'The caller does not have permission')
    }
    const range = decodeURIComponent(encoded)
    const name = tabOf(range)
    const tab = Object.hasOwn(spreadsheet.tabs, name) ? spreadsheet.tabs[name] : undefined
    if (!tab) return refuse(400, 'INVALID_ARGUMENT', `Unable to parse range: ${range}`)
    const entered = searchParams.get('valueInputOption')
    if (entered !== 'RAW' && entered !== 'USER_ENTERED') {
      return refuse(400, 'INVALID_ARGUMENT', "'valueInputOption' is required but not specified")
    }
    const { values } = JSON.parse(body) as { values: (string | number | boolean)[][] }
    const wrong = values.flat().find((it) => !['string', 'number', 'boolean'].includes(typeof it))
    if (wrong !== undefined)
      return refuse(400, 'INVALID_ARGUMENT', 'Invalid values[0][0]: struct_value')
    const before = tab.length
    const isFormula = (it: unknown) => typeof it === 'string' && /^[=+]/.test(it)
    tab.push(
      ...values.map((row) =>
        row.map((it) =>
          entered === 'USER_ENTERED' && isFormula(it) ? { formula: String(it) } : it,
        ),
      ),
    )
    const columns = Math.max(...values.map((row) => row.length))
    const title = /^\w+$/.test(name) ? name : `'${name.replaceAll("'", "''")}'`
    send(200, {
      spreadsheetId: id,
      ...(before > 0 && { tableRange: `${title}!A1:${column(tab[0]!.length)}${before}` }),
      updates: {
        spreadsheetId: id,
        updatedRange: `${title}!A${before + 1}:${column(columns)}${tab.length}`,
        updatedRows: values.length,
        updatedColumns: columns,
        updatedCells: values.flat().length,
      },
    })
  }

  const server = createServer(async (request, response) => {
    if (request.url === '/token') return giveToken(request, response)
    if (rules.fault) return rules.fault(response)
    await append(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    tokenUrl: `${url}/token`,
    account,
    spreadsheets,
    tokens: google.answers,
    answers,
    revoke: () => ends.clear(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The tab that a range in A1 notation names: `'It''s'!A1:B2`, `Sheet1`. */
function tabOf(range: string): string {
  const [, quoted, bare] = /^(?:'((?:[^']|'')*)'|([^'!]*))(?:![A-Z0-9:]+)?$/.exec(range) ?? []
  return quoted?.replaceAll("''", "'") ?? bare ?? ''
}

/** The letters of a column: 1 is A, 27 is AA. */
const column = (number: number): string =>
  number > 26
    ? column(Math.floor((number - 1) / 26)) + column(((number - 1) % 26) + 1)
    : String.fromCharCode(64 + number)

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
