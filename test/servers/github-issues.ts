import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An issue, or a pull request, which GitHub lists as an issue. */
export interface Issue {
  readonly number: number
  readonly title: string
  readonly body: string | null
  readonly state: 'open' | 'closed'
  readonly labels: readonly string[]
  readonly login: string
  readonly comments: string[]
  readonly isPullRequest?: boolean
  readonly isLocked?: boolean
  readonly isDeleted?: boolean
}

interface Repository {
  readonly id: number
  readonly issues: Issue[]
  readonly isPrivate?: boolean
  readonly hasNoIssues?: boolean
  /** The id of the repository that it has moved to. */
  readonly movedTo?: number
}

/** The permissions of a token. */
interface User {
  readonly login: string
  readonly canWrite: boolean
}

/** The part of GitHub's REST API that issues need. */
export interface FakeIssues {
  readonly url: string
  /** By OWNER/NAME. */
  readonly repositories: Record<string, Repository>
  readonly users: Record<string, User>
  /** The primary limit: the number of requests left, and the time of the reset, in seconds since 1970. */
  readonly limit: { remaining: number; reset: number }
  /** The secondary limit, if it is reached. GitHub only sometimes says for how long. */
  secondary: { readonly status: 403 | 429; readonly retryAfter?: number } | undefined
  /** The response to every request, such as an error page. */
  instead: ((response: ServerResponse) => void) | undefined
  /** The requests so far, such as `POST /repos/acme/shop/issues`. */
  readonly seen: string[]
  close(): Promise<void>
}

/** The number of issues that numbered pages can reach. Further ones need `after`. */
const COUNTED_PAGES = 10

/**
 * Starts one. Answers, headers and errors are as GitHub documents them: "REST API endpoints for issues",
 * "Using pagination", "Rate limits" and "Troubleshooting" at https://docs.github.com/en/rest.
 */
export async function startIssues(): Promise<FakeIssues> {
  const server = createServer((request, response) => {
    void serve(request, response).catch((error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const fake: FakeIssues = {
    ...{ url, repositories: {}, users: {}, seen: [] },
    limit: { remaining: 5_000, reset: Math.ceil(Date.now() / 1_000) + 3_600 },
    secondary: undefined,
    instead: undefined,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function serve(request: IncomingMessage, response: ServerResponse) {
    let text = ''
    for await (const piece of request) text += piece
    const { method = '', headers } = request
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    fake.seen.push(`${method} ${pathname}`)

    const { limit, secondary } = fake
    const limits = () => ({
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': String(limit.remaining),
      'x-ratelimit-used': String(5_000 - limit.remaining),
      'x-ratelimit-reset': String(limit.reset),
      'x-ratelimit-resource': 'core',
    })
    const answer = (status: number, body: unknown, more: Record<string, string> = {}) => {
      const type = { 'content-type': 'application/json; charset=utf-8' }
      const version = { 'x-github-api-version-selected': '2022-11-28' }
      response.writeHead(status, { ...type, ...version, ...limits(), ...more })
      response.end(JSON.stringify(body))
    }
    const refuse = (status: number, message: string, more = {}, heads = {}) => {
      const documentation_url = 'https://docs.github.com/rest/issues/issues'
      answer(status, { message, ...more, documentation_url, status: String(status) }, heads)
    }

    if (fake.instead) return fake.instead(response)
    if (!headers['user-agent']) {
      return response
        .writeHead(403, { 'content-type': 'text/html' })
        .end(
          'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
        )
    }
    if (!['2022-11-28', '2026-03-10'].includes(String(headers['x-github-api-version']))) {
      return refuse(400, 'The version is not supported.')
    }
    const [scheme, token = ''] = (headers.authorization ?? '').split(' ')
    const user = scheme?.toLowerCase() === 'bearer' ? fake.users[token] : undefined
    if (headers.authorization && !user) return refuse(401, 'Bad credentials')
    if (limit.remaining === 0) {
      return refuse(403, 'API rate limit exceeded for user ID 42. A word of a stranger.')
    }
    limit.remaining--
    if (secondary) {
      const after = secondary.retryAfter
      const message = after
        ? 'You have triggered an abuse detection mechanism. Please wait a few minutes before you try again.'
        : 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
      return refuse(secondary.status, message, {}, after && { 'retry-after': String(after) })
    }

    const [, top, ...parts] = pathname.split('/')
    const found =
      top === 'repositories'
        ? Object.values(fake.repositories).find(({ id }) => String(id) === parts[0])
        : fake.repositories[parts.slice(0, 2).join('/')]
    const [kind, number, below, ...rest] = parts.slice(top === 'repositories' ? 1 : 2)
    if (!found || (found.isPrivate && !user) || kind !== 'issues' || rest.length > 0) {
      return refuse(404, 'Not Found')
    }
    if (found.movedTo) {
      const location = `${url}/repositories/${[found.movedTo, ...parts.slice(2)].join('/')}`
      const [status, message] =
        method === 'GET' ? [301, 'Moved Permanently'] : [307, 'Temporary Redirect']
      return refuse(Number(status), String(message), { url: location }, { location })
    }
    if (found.hasNoIssues) return refuse(410, 'Issues are disabled for this repo')
    if (method === 'GET' && !number) return list(found)

    if (method !== 'POST') return refuse(404, 'Not Found')
    if (!user) return refuse(401, 'Requires authentication')
    const asked = parsed(text)
    if (!asked) return refuse(400, 'Problems parsing JSON')
    if (!user.canWrite) {
      const needs = { 'x-accepted-github-permissions': 'issues=write' }
      return refuse(403, 'Resource not accessible by personal access token', {}, needs)
    }
    return number ? comment(found, user) : create(found, user)

    function list({ id, issues }: Repository) {
      // If a parameter has two values, the last one counts.
      const given = (name: string) => searchParams.getAll(name).at(-1)
      const wanted = given('state') ?? 'open'
      const labels = given('labels')?.split(',') ?? []
      const perPage = Math.min(Number(given('per_page') ?? 30), 100)
      const page = Number(given('page') ?? 1)
      const after = given('after')
      if (page > COUNTED_PAGES && !after) {
        const message =
          'Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)'
        return refuse(422, message)
      }
      const all = issues
        .filter(({ isDeleted }) => !isDeleted)
        .filter(({ state }) => wanted === 'all' || state === wanted)
        .filter((it) => labels.every((label) => it.labels.includes(label)))
        .toSorted((a, b) => b.number - a.number)
      const start = after
        ? all.findIndex((it) => it.number < Number(atob(after)))
        : (page - 1) * perPage
      const shown = start < 0 ? [] : all.slice(start, start + perPage)
      const last = shown.at(-1)
      const next = new URLSearchParams(searchParams)
      next.set('page', String(page + 1))
      if (last) next.set('after', btoa(String(last.number)))
      const isMore = last && last.number !== all.at(-1)?.number
      // The links have the id of the repository.
      const link = `<${url}/repositories/${id}/issues?${next}>; rel="next", <${url}/repositories/${id}/issues?page=1>; rel="first"`
      answer(200, shown.map(described), isMore ? { link } : {})
    }

    function create({ issues }: Repository, { login }: User) {
      const { title, body = null, labels = [] } = asked!
      const invalid = (code: string, more = {}) =>
        refuse(422, 'Validation Failed', {
          errors: [{ resource: 'Issue', field: 'title', code, ...more }],
        })
      if (typeof title !== 'string') return invalid('missing_field')
      // GitHub treats invisible characters as blank.
      if (title.replace(/[\s\u200b]/g, '') === '') {
        return invalid('custom', { message: "title can't be blank. A word of a stranger." })
      }
      const made = { ...{ title, body, labels, login }, state: 'open', comments: [] } as const
      issues.push({ ...made, number: issues.length + 1 } as unknown as Issue)
      const issue = described(issues.at(-1)!)
      answer(201, issue, { location: issue.url })
    }

    function comment({ issues }: Repository, { login }: User) {
      const issue = issues.find((it) => String(it.number) === number)
      if (!issue || below !== 'comments') return refuse(404, 'Not Found')
      if (issue.isDeleted) return refuse(410, 'This issue was deleted')
      if (issue.isLocked) {
        return refuse(403, 'Unable to create comment because issue is locked.')
      }
      const { body } = asked!
      if (typeof body !== 'string' || body === '') {
        const errors = [{ resource: 'IssueComment', field: 'body', code: 'missing_field' }]
        return refuse(422, 'Validation Failed', { errors })
      }
      issue.comments.push(body)
      const html_url = `https://github.test/issues/${number}#issuecomment-${issue.comments.length}`
      answer(201, { id: issue.comments.length, html_url, body, user: { login } })
    }
  }

  const described = (it: Issue) => ({
    url: `${url}/issues/${it.number}`,
    html_url: `https://github.test/issues/${it.number}`,
    ...{ number: it.number, title: it.title, body: it.body, state: it.state },
    user: { login: it.login, type: 'User' },
    labels: it.labels.map((name, id) => ({ id, name, color: 'f29513' })),
    ...{ comments: it.comments.length, locked: it.isLocked === true },
    updated_at: '2026-05-01T10:00:00Z',
    ...(it.isPullRequest && { pull_request: { url: `${url}/pulls/${it.number}` } }),
  })
  return fake
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
