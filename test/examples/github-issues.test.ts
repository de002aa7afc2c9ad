import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Issue, startIssues } from '../servers/github-issues.ts'
import { type Answer, eachWay } from '../support/example.ts'

const github = await startIssues()
afterAll(() => github.close())

const TOKEN = 'github_pat_team-marker'
const OWN = 'github_pat_grace-marker'
const READER = 'github_pat_reader-marker'

const issue = (number: number, more: Partial<Issue> = {}): Issue => ({
  ...{ number, title: `Issue ${number}`, body: 'It does not work. '.repeat(50), state: 'open' },
  ...{ labels: number % 2 ? ['bug'] : ['bug', 'later'], login: 'octocat', comments: [] },
  ...more,
})

const reset = Math.floor(Date.now() / 1_000) + 1_800

beforeEach(() => {
  Object.assign(github.limit, { remaining: 5_000, reset })
  Object.assign(github.users, {
    [TOKEN]: { login: 'team', canWrite: true },
    [OWN]: { login: 'grace', canWrite: true },
    [READER]: { login: 'reader', canWrite: false },
  })
  Object.assign(github.repositories, {
    'acme/shop': {
      id: 1,
      issues: Array.from({ length: 70 }, (_, i) =>
        issue(i + 1, {
          state: i < 5 ? 'closed' : 'open',
          isPullRequest: i % 10 === 9,
          isLocked: i === 5,
          isDeleted: i === 6,
        }),
      ),
    },
    'acme/.github': { id: 2, issues: [issue(1, { login: 'ghost', body: null, labels: [] })] },
    'acme/old': { id: 3, issues: [], movedTo: 1 },
    'acme/none': { id: 4, issues: [], hasNoIssues: true },
    'acme/long': { id: 5, issues: Array.from({ length: 400 }, (_, i) => issue(i + 1)) },
  })
  github.secondary = undefined
  github.instead = undefined
  github.seen.length = 0
})

const written = () =>
  Object.values(github.repositories)
    .flatMap(({ issues }) => issues)
    .filter(({ title, comments }) => !title.startsWith('Issue ') || comments.length > 0)

const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const { content, isError, structuredContent } = await client.callTool({
    name,
    arguments: { repository: 'acme/shop', ...args },
  })
  const [said] = content as { text: string }[]
  return { text: said?.text ?? '', isError, structured: structuredContent as Listed }
}

interface Listed {
  readonly issues: readonly { readonly number: number; readonly text: string }[]
  readonly next?: string
}

const new_ = { title: 'Too slow', text: 'The shop takes a minute.', labels: ['bug'] }

/** Answers every question, and records it. */
function answering(answer: Answer) {
  const asked: string[] = []
  const elicitation = ({ message }: { message: string }) => {
    asked.push(message)
    return answer
  }
  return { asked, elicitation }
}
const agreeing = () => answering({ action: 'accept', content: { agree: true } })

const variables = { GITHUB_URL: github.url, GITHUB_TOKEN: TOKEN }

eachWay('github-issues', { variables }, (way) => {
  test('lists issues, page by page', async () => {
    const client = await way.connect()
    const numbers: number[] = []
    let page: string | undefined = ''
    let pages = 0
    do {
      const { structured } = await call(client, 'list_issues', { page })
      numbers.push(...structured.issues.map((it) => it.number))
      page = structured.next
      pages++
    } while (page !== undefined && pages < 10)
    expect(pages).toBe(3)
    // 65 are open, one of them is deleted, and seven are pull requests.
    expect(numbers).toHaveLength(57)
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
    expect(new Set(numbers).size).toBe(57)
  })

  test('follows cursors after the last numbered page', async () => {
    const client = await way.connect()
    let page: string | undefined = ''
    let found = 0
    while (page !== undefined) {
      const { structured } = await call(client, 'list_issues', { repository: 'acme/long', page })
      found += structured.issues.length
      page = structured.next
    }
    expect(found).toBe(400)
  })

  test('filters issues by state and labels, and shows the beginning of each', async () => {
    const client = await way.connect()
    const closed = await call(client, 'list_issues', { state: 'closed', labels: ['later', 'bug'] })
    expect(closed.structured).toEqual({
      issues: [4, 2].map((number) => ({
        ...{ number, title: `Issue ${number}`, state: 'closed', labels: ['bug', 'later'] },
        ...{ author: 'octocat', comments: 0, updated: '2026-05-01T10:00:00Z' },
        url: `https://github.test/issues/${number}`,
        text: expect.stringMatching(/^It does not work\..{480}/),
      })),
    })
    expect(closed.structured.issues[0]?.text).toHaveLength(500)
    const { structured } = await call(client, 'list_issues', { repository: 'acme/.github' })
    expect(structured.issues).toMatchObject([{ number: 1, text: '', labels: [] }])
  })

  test('opens an issue after the user agrees', async () => {
    const { asked, elicitation } = agreeing()
    const client = await way.connect({ elicitation })
    const { text, isError } = await call(client, 'create_github_issue', new_)
    expect({ text, isError }).toEqual({
      text: 'Written: https://github.test/issues/71',
      isError: undefined,
    })
    expect(asked).toEqual([
      'Open this issue in acme/shop, with bug?\n\nToo slow\n\nThe shop takes a minute.',
    ])
    const { title, text: body, labels } = new_
    expect(written()).toMatchObject([{ title, body, labels, login: 'team' }])
  })

  test('comments after the user has seen the text and agrees', async () => {
    const { asked, elicitation } = agreeing()
    const client = await way.connect({ elicitation })
    const long = 'x'.repeat(60_000)
    const { text } = await call(client, 'comment', { number: 70, text: long })
    expect(text).toBe('Written: https://github.test/issues/70#issuecomment-1')
    expect(asked).toEqual([
      expect.stringMatching(
        /^Write this comment to acme\/shop#70\?\n\nx{3900,4000}… and 56\d{3} characters more$/,
      ),
    ])
    expect(written()).toMatchObject([{ number: 70, comments: [long] }])
  })

  test.each<[string, Answer]>([
    ['declines', { action: 'decline' }],
    ['cancels the question', { action: 'cancel' }],
    ['says no', { action: 'accept', content: { agree: false } }],
  ])('writes nothing if the user %s', async (_, answer) => {
    const { asked, elicitation } = answering(answer)
    const client = await way.connect({ elicitation })
    const no = 'The person does not want that. Nothing was written.'
    expect(await call(client, 'create_github_issue', new_)).toMatchObject({ text: no })
    expect(await call(client, 'comment', { number: 70, text: 'Me too' })).toMatchObject({
      text: no,
    })
    expect(asked).toHaveLength(2)
    expect(github.seen).toEqual([])
  })

  test('writes nothing for a client that cannot ask', async () => {
    const client = await way.connect()
    for (const [name, args] of [
      ['create_github_issue', new_],
      ['comment', { number: 70, text: 'Me too' }],
    ] as const) {
      expect(await call(client, name, args)).toMatchObject({
        isError: true,
        text: 'This client cannot ask the person first, so nothing was written.',
      })
    }
    expect(github.seen).toEqual([])
  })

  if (way.transport === 'http') {
    test('writes with the token of the caller, even after a question', async () => {
      const headers = { 'X-GitHub-Token': OWN, Authorization: 'Bearer of-this-server' }
      const client = await way.connect({ ...agreeing(), headers })
      await call(client, 'create_github_issue', new_)
      expect(written()).toMatchObject([{ title: 'Too slow', login: 'grace' }])
      const reader = await way.connect({ ...agreeing(), headers: { 'X-GitHub-Token': READER } })
      expect(await call(reader, 'create_github_issue', new_)).toMatchObject({ isError: true })
      expect(written()).toHaveLength(1)
    })
  }

  // The other tests are the same in both eras.
  if (way.era === 'legacy') return

  test('rejects answers from GitHub that do not match its documentation', async () => {
    const client = await way.connect()
    github.instead = (response) => {
      const issue = { number: 1, title: 'x'.repeat(1_001), state: 'open', html_url: '', user: null }
      const long = [{ ...issue, labels: [], body: '', comments: 0, updated_at: '' }]
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(long))
    }
    expect(await call(client, 'list_issues')).toMatchObject({
      text: 'GitHub’s response is not in its documentation.',
      isError: true,
    })
  })

  test('reports when GitHub allows the next request', async () => {
    const client = await way.connect()
    const list = async () => {
      const { isError, text } = await call(client, 'list_issues')
      expect({ isError, text }).toEqual({
        isError: true,
        text: expect.stringMatching(
          /^GitHub allows the next request at \d\d:\d\d UTC\. Wait until then\.$/,
        ),
      })
      return text
    }
    github.limit.remaining = 0
    const at = new Date(Math.ceil(reset / 60) * 60_000).toISOString().slice(11, 16)
    expect(await list()).toContain(` ${at} UTC`)
    github.instead = (response) =>
      response
        .writeHead(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) })
        .end('Forbidden')
    expect(await list()).toContain(` ${at} UTC`)
    github.instead = undefined
    github.limit.remaining = 100
    for (const secondary of [
      { status: 403, retryAfter: 120 },
      { status: 429, retryAfter: 1e15 },
      { status: 403 },
      { status: 429 },
    ] as const) {
      github.secondary = secondary
      await list()
    }
  })

  test.each<[string, string, Record<string, unknown>, string]>([
    ['is unknown', 'list_issues', { repository: 'acme/nil' }, 'There is no such repository'],
    [
      'disabled issues',
      'list_issues',
      { repository: 'acme/none' },
      'Issues are turned off for the repository',
    ],
    ['has no such issue', 'comment', { number: 999, text: 'Me too' }, 'There is no such'],
    ['deleted the issue', 'comment', { number: 7, text: 'Me too' }, 'or this one was deleted'],
    ['locked the issue', 'comment', { number: 6, text: 'Me too' }, 'This is locked, or the token'],
    ['rejects a value', 'create_github_issue', { ...new_, title: '\u200b' }, 'a value: title.'],
  ])('explains that the repository %s: %s', async (_, name, args, sentence) => {
    const client = await way.connect(agreeing())
    const { isError, text } = await call(client, name, args)
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(sentence) })
    expect(text).not.toContain('stranger')
    expect(written()).toEqual([])
  })

  // The test harness follows redirects for the Worker.
  if (way.transport === 'stdio') {
    test('does not follow the redirect of a moved repository', async () => {
      const client = await way.connect(agreeing())
      const repository = 'acme/old'
      const answers = [
        await call(client, 'list_issues', { repository }),
        await call(client, 'create_github_issue', { ...new_, repository }),
      ]
      const text = 'The repository was moved or renamed. Ask for its new name.'
      expect(answers).toMatchObject([1, 2].map(() => ({ isError: true, text })))
      expect(github.seen).toEqual(['GET', 'POST'].map((it) => `${it} /repos/acme/old/issues`))
    })
  }

  test('explains that the token is invalid, or lacks a permission', async () => {
    const client = await way.connect(agreeing())
    github.users[TOKEN] = { login: 'team', canWrite: false }
    expect(await call(client, 'create_github_issue', new_)).toMatchObject({
      isError: true,
      text: 'This is locked, or the token lacks "Issues: read and write" there.',
    })
    delete github.users[TOKEN]
    expect(await call(client, 'list_issues')).toMatchObject({
      isError: true,
      text: 'GitHub refuses this token: it is wrong, expired or revoked.',
    })
  })

  test('explains errors of GitHub, and that a text may have been written', async () => {
    const client = await way.connect(agreeing())
    const unsure = /It may have been written: look before you write it again\.$/
    const faults: NonNullable<typeof github.instead>[] = [
      (response) => response.writeHead(502).end('<h1>A word of a stranger</h1>'),
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`[${' '.repeat(9 * 1024 * 1024)}]`),
      (response) => response.destroy(),
    ]
    for (const fault of faults) {
      github.instead = fault
      const listed = await call(client, 'list_issues')
      const written = await call(client, 'create_github_issue', new_)
      expect([listed.isError, written.isError]).toEqual([true, true])
      const begins = fault === faults[0] ? /^GitHub has a fault \(502\)/ : /^GitHub(?: has| did|’s)/
      expect(listed.text).toMatch(begins)
      expect(listed.text).not.toMatch(unsure)
      expect(written.text).toMatch(unsure)
      expect(listed.text + written.text).not.toMatch(/stranger|marker|127\.0/)
    }
  })

  test('rejects a repository name that leads to another path', async () => {
    const client = await way.connect()
    for (const repository of ['acme/..', 'acme/.', '../user', 'acme/shop/x', 'acme/shop?a', 'acme'])
      expect(await call(client, 'list_issues', { repository })).toMatchObject({ isError: true })
    expect(github.seen).toEqual([])
    const { structured } = await call(client, 'list_issues', {
      page: 'per_page=100&state=all&page=2',
    })
    expect(structured.issues[0]).toMatchObject({ number: 39, state: 'open' })
    expect(github.seen).toEqual(['GET /repos/acme/shop/issues'])
  })
})

describe('without a token', () => {
  eachWay('github-issues', { variables: { ...variables, GITHUB_TOKEN: '' } }, (way) => {
    test('asks for one before it asks the user', async () => {
      const { asked, elicitation } = agreeing()
      const client = await way.connect({ elicitation })
      const sentence = 'There is no token for GitHub. The client can send one as X-GitHub-Token.'
      for (const [name, args] of [
        ['list_issues', {}],
        ['create_github_issue', new_],
      ] as const) {
        expect(await call(client, name, args)).toMatchObject({ isError: true, text: sentence })
      }
      expect([asked, github.seen]).toEqual([[], []])
    })
  })
})
