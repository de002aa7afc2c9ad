import { ToolError } from 'tidegate/mcp'
import * as z from 'zod'
import { type Answer, ask, whenAgain } from './answer.ts'
import { GoogleToken, type KeyFile, readKeyFile } from './google-token.ts'

export interface SheetsSettings {
  /** The URL of the Google Sheets API. */
  readonly GOOGLE_SHEETS_URL: string
  /** The URL where Google issues access tokens. */
  readonly GOOGLE_TOKEN_URL: string
  /** Secret. The JSON key of a service account. The spreadsheet has to be shared with that account. */
  readonly GOOGLE_SERVICE_ACCOUNT?: string
}

/** Rows, and the tab of a spreadsheet for them. */
export interface Table {
  readonly spreadsheet: string
  readonly sheet: string
  readonly rows: readonly (readonly (string | number | boolean)[])[]
}

/** Google Sheets, with the key of a service account. */
export function sheets(settings: SheetsSettings) {
  const token = new GoogleToken(settings.GOOGLE_TOKEN_URL)
  const readKey = () => readKeyFile(settings.GOOGLE_SERVICE_ACCOUNT)
  return {
    /** Throws a ToolError if there is no key. */
    expectKey: () => void readKey(),
    /** Appends rows to a tab. Their cells are not interpreted. */
    async append({ spreadsheet, sheet, rows }: Table, signal: AbortSignal) {
      const key = readKey()
      const bearer = await token.get(key, signal)
      const range = encodeURIComponent(`'${sheet.replaceAll("'", "''")}'`)
      // RAW: a cell that begins with = stays text. INSERT_ROWS: cells below the table are not overwritten.
      const options = 'valueInputOption=RAW&insertDataOption=INSERT_ROWS'
      const url = `${settings.GOOGLE_SHEETS_URL}/v4/spreadsheets/${spreadsheet}/values/${range}:append?${options}`
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ majorDimension: 'ROWS', values: rows })
      const written = await ask('Google Sheets', url, { headers, body }, signal).catch(
        unknownOutcome,
      )
      const done = appended.safeParse(written.body).data?.updates
      if (written.status === 200 && done) {
        return { range: done.updatedRange, rows: done.updatedRows, cells: done.updatedCells }
      }
      if (written.status === 401) token.forget()
      throw new ToolError(faultOf(written, sheet, key))
    },
  }
}

const SHOWN_ROWS = 5
const SHOWN_CHARS = 160

/** The question to a person: what to write, and where. Rows are JSON, so no cell can look like a question. */
export function preview({ spreadsheet, sheet, rows }: Table) {
  const shown = rows.slice(0, SHOWN_ROWS).map((row) => {
    const json = JSON.stringify(row)
    return json.length > SHOWN_CHARS ? `${json.slice(0, SHOWN_CHARS)}…` : json
  })
  const more = rows.length - shown.length
  if (more > 0) shown.push(`and ${more} more`)
  const count = rows.length === 1 ? '1 row' : `${rows.length} rows`
  const where = `${JSON.stringify(sheet)} of the spreadsheet ${spreadsheet}`
  return { what: `${count} to the sheet ${where}`, shown: shown.join('\n') }
}

const UNKNOWN = 'The rows may have been written: check the sheet before you call again.'

function unknownOutcome(error: unknown): never {
  throw error instanceof ToolError ? new ToolError(`${error.message} ${UNKNOWN}`) : error
}

/** https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values/append */
const appended = z.object({
  updates: z.object({
    updatedRange: z.string().max(300),
    updatedRows: z.int().min(0),
    updatedCells: z.int().min(0),
  }),
})

/** https://cloud.google.com/apis/design/errors */
const refusal = z.object({
  error: z.object({
    message: z.string(),
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
})

function faultOf(answer: Answer, sheet: string, { client_email }: KeyFile): string {
  const { message, details } = refusal.safeParse(answer.body).data?.error ?? { message: '' }
  switch (answer.status) {
    case 400:
      return message.startsWith('Unable to parse range')
        ? `This spreadsheet has no sheet ${JSON.stringify(sheet)}.`
        : 'Google Sheets refuses these rows: the file is not a Google spreadsheet, or it is full.'
    case 401:
      return 'Google revoked the service account’s token. Nothing was written. Call again.'
    case 403:
      return details?.some(({ reason }) => reason === 'SERVICE_DISABLED')
        ? 'The Google Sheets API is not enabled in the project of the service account.'
        : `The spreadsheet is not shared with ${client_email} as an editor.`
    case 404:
      return 'There is no spreadsheet with this id.'
    case 429:
      return `Google Sheets accepts no more rows now. Nothing was written. Call again ${whenAgain(answer)}.`
  }
  if (answer.status >= 500) return `Google Sheets has a fault. ${UNKNOWN}`
  if (answer.status < 300) return `Google Sheets did not answer as it should. ${UNKNOWN}`
  return `Google Sheets refused (${answer.status}). Nothing was written.`
}
