import { type Context, ToolError } from 'tidegate/mcp'
import * as z from 'zod'

export interface GitHub {
  /** The URL of GitHub's REST API. */
  readonly GITHUB_URL: string
  /** The token for callers that send none. */
  readonly GITHUB_TOKEN?: string
}

/** The parts of a call that are used here. */
type Call = Pick<Context, 'header' | 'signal'>

const TIMEOUT_MS = 15_000
const MAX_BYTES = 8 * 1024 * 1024

/**
 * The token of the caller, or the server's token. It has its own header, because a token in `Authorization` is for
 * this server, which must not pass it on (specification, "Access Token Privilege Restriction").
 */
export function tokenFor({ header }: Pick<Call, 'header'>, { GITHUB_TOKEN }: GitHub): string {
  const token = header('x-github-token') || GITHUB_TOKEN
  if (token) return token
  throw new ToolError('There is no token for GitHub. The client can send one as X-GitHub-Token.')
}

/**
 * Sends a request to GitHub's REST API: POST with a body, or else GET. Every error is a {@link ToolError}.
 *
 * @returns the parsed answer, and the parameters for the next page, if there is one
 */
export async function ask<Schema extends z.ZodType>(
  call: Call,
  github: GitHub,
  path: string,
  schema: Schema,
  body?: object,
): Promise<{ readonly found: z.infer<Schema>; readonly next?: string | undefined }> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${tokenFor(call, github)}`,
    'user-agent': 'tidegate-github-issues',
    'x-github-api-version': '2022-11-28',
  }
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(TIMEOUT_MS)])
  // A redirect is not followed: it would get the token, and a POST would become a GET.
  const sent = { headers, signal, redirect: 'manual' } as const
  const init = body ? { ...sent, method: 'POST', body: JSON.stringify(body) } : sent
  const unsure = body ? ' It may have been written: look before you write it again.' : ''
  const answer = await answerOf(`${github.GITHUB_URL}${path}`, init).catch(() => {
    throw new ToolError(`GitHub did not answer as it should.${unsure}`)
  })
  const { status, json } = answer
  if (status >= 500) throw new ToolError(`GitHub has a fault (${status}): try later.${unsure}`)
  if (status >= 300) throw new ToolError(sentenceFor(answer))
  const { success, data } = schema.safeParse(json)
  if (!success) throw new ToolError(`GitHub’s response is not in its documentation.${unsure}`)
  return { found: data, next: nextPage(answer.headers.get('link') ?? '') }
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Undefined if the answer is not JSON. */
  readonly json: unknown
}

async function answerOf(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const piece of response.body ?? []) {
    size += piece.byteLength
    if (size > MAX_BYTES) throw new Error('GitHub’s response is too large.')
    text += decoder.decode(piece, { stream: true })
  }
  const { status, headers } = response
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return { status, headers, json: isJson ? JSON.parse(text) : undefined }
}

/** The fix for an error (GitHub, "Troubleshooting the REST API"). It does not contain GitHub's own words. */
function sentenceFor({ status, headers, json }: Answer): string {
  const { message, errors } = (json ?? {}) as { message?: unknown; errors?: unknown }
  const isLimit =
    headers.has('retry-after') ||
    headers.get('x-ratelimit-remaining') === '0' ||
    /rate limit/i.test(String(message))
  if (status === 429 || (status === 403 && isLimit)) {
    return `GitHub allows the next request at ${timeOf(nextRequest(headers))}. Wait until then.`
  }
  if (status === 401) return 'GitHub refuses this token: it is wrong, expired or revoked.'
  if (status === 403) return 'This is locked, or the token lacks "Issues: read and write" there.'
  if (status === 404) return 'There is no such repository or issue, or the token may not see it.'
  if (status === 410) return 'Issues are turned off for the repository, or this one was deleted.'
  if (status === 422) return `GitHub refuses a value${fieldsOf(errors)}. Correct it.`
  if (status < 400) return 'The repository was moved or renamed. Ask for its new name.'
  return `GitHub refuses this (${status}).`
}

/** The time when GitHub allows the next request ("Rate limits for the REST API"), at most a day from now. */
function nextRequest(headers: Headers): number {
  const now = Date.now()
  const after = now + 1_000 * Number(headers.get('retry-after') || Number.NaN)
  const reset = 1_000 * Number(headers.get('x-ratelimit-reset') || Number.NaN)
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0'
  const said = [after, isUsedUp ? reset : Number.NaN].find((it) => it >= 0) ?? now + 60_000
  return Math.min(said, now + 24 * 60 * 60_000)
}

/** A time as text, rounded up to a minute: 14:05 UTC. */
const timeOf = (time: number) =>
  `${new Date(Math.ceil(time / 60_000) * 60_000).toISOString().slice(11, 16)} UTC`

/** The names of the wrong fields, if GitHub names them: `title`, `labels`. */
function fieldsOf(errors: unknown): string {
  const fields = (Array.isArray(errors) ? errors : []).map((it) => it?.field)
  const names = fields.filter((it) => typeof it === 'string' && /^\w{1,40}$/.test(it)).slice(0, 5)
  return names.length > 0 ? `: ${[...new Set(names)].join(', ')}` : ''
}

/** The parameters of the next page. A long list continues `after` an issue instead of with a page number. */
function nextPage(link: string): string | undefined {
  const [, url = ''] = /<([^<>]*)>; *rel="next"/.exec(link) ?? []
  return pageOf(url.slice(url.indexOf('?') + 1)) || undefined
}

/** The parameters that select a page. */
export function pageOf(parameters: string): string {
  const page = [...new URLSearchParams(parameters)].filter(([name]) => PAGE.has(name))
  const text = new URLSearchParams(page).toString()
  return text.length > MAX_PAGE ? '' : text
}

const PAGE = new Set(['page', 'after'])
const MAX_PAGE = 500

const short = z.string().max(1_000)

/** An issue in GitHub's REST API. */
export const issue = z.object({
  number: z.number(),
  title: short,
  state: short,
  html_url: short,
  user: z.object({ login: short }).nullable(),
  labels: z.array(z.union([short, z.object({ name: short })])).max(100),
  body: z.string().nullish(),
  comments: z.number(),
  updated_at: short,
  pull_request: z.unknown().optional(),
})

/** Maximum number of characters of an issue in a list. */
const EXCERPT = 500

/** The fields that a model needs. */
export function shortened(it: z.infer<typeof issue>) {
  const { number, title, state, comments, user, updated_at: updated, html_url: url } = it
  const names = it.labels.map((label) => (typeof label === 'string' ? label : label.name))
  const text = (it.body ?? '').slice(0, EXCERPT)
  return { number, title, state, labels: names, author: user?.login, comments, updated, url, text }
}
