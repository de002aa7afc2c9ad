// Issues in a small GitHub. A person is asked before anything is written.
import { startIssues } from '../../test/servers/github-issues.ts'
import { attempt, must } from './check.mjs'
import { example, sdk } from './places.mjs'

const TOKEN = 'github_pat_bench'
const OWN = 'github_pat_own'
const repository = 'acme/shop'

const github = await startIssues()
github.server?.unref?.()
const issue = (number) => ({
  ...{ number, title: `Issue ${number}`, body: 'It does not work. '.repeat(50), state: 'open' },
  ...{ labels: ['bug'], login: 'octocat', comments: [] },
})

export const githubIssues = {
  name: 'github-issues',
  tidegate: example('github-issues'),
  sdk: sdk({ entry: 'github-issues.ts', stdio: 'github-issues-stdio.ts' }),
  async others() {
    Object.assign(github.limit, { remaining: 1e9, reset: Math.floor(Date.now() / 1_000) + 1_800 })
    github.users[TOKEN] = { login: 'team', canWrite: true }
    github.users[OWN] = { login: 'grace', canWrite: true }
    return { vars: { GITHUB_URL: github.url, GITHUB_TOKEN: TOKEN } }
  },
  cases: {
    list: {
      says: 'github-issues, list_issues',
      method: 'tools/call',
      params: { name: 'list_issues', arguments: { repository } },
      right: ({ structuredContent }) => structuredContent?.issues.length === 30,
    },
  },
  async check(client, seen) {
    github.repositories[repository] = {
      id: 1,
      issues: Array.from({ length: 70 }, (_, i) => issue(i + 1)),
    }
    const call = async (name, args = {}) => {
      const { content, ...result } = await client.callTool({
        name,
        arguments: { repository, ...args },
      })
      return { text: content[0].text, ...result }
    }
    let [count, page] = [0, '']
    do {
      const { structuredContent } = await call('list_issues', { page })
      count += structuredContent.issues.length
      page = structuredContent.next
    } while (page)
    must('all pages are listed', count === 70)
    const none = await call('list_issues', { repository: 'acme/none' })
    must(
      'what GitHub refuses is told',
      none.isError && /^There is no such repository/.test(none.text),
    )
    const written = () => github.repositories[repository].issues.filter((it) => it.title === 'Slow')
    return {
      'lists, pages, faults': 'yes',
      'a question before it writes': await attempt(async () => {
        const it = { title: 'Slow', text: 'It takes a minute.' }
        seen.answer = { agree: false }
        await call('create_github_issue', it)
        must('the person is asked', seen.asked[0]?.startsWith(`Open this issue in ${repository}?`))
        must('nothing is written against their will', written().length === 0)
        seen.answer = { agree: true }
        await call('create_github_issue', it)
        must('it is written with it', written().length === 1)
      }),
    }
  },
}
