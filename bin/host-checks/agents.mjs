// Whether the server, or what is in front of it, shuts a host out by what the host calls itself.
import { ANY_ACCEPT } from './endpoint.mjs'
import { said } from './probe.mjs'
import { initialize, leave } from './rpc.mjs'

/** What hosts call themselves, where something in front of a server may look at it; and what they accept. */
const agents = [
  ['claude', 'Claude-User'],
  ['claude', 'python-httpx/0.28.1', '*/*'],
  ['chatgpt', 'ChatGPT-User'],
  ['chatgpt', 'openai-mcp/1.0.0'],
  ['claude-code', 'claude-code/2.1.329 (cli)'],
  ['codex', 'codex-mcp-client/0.169.0'],
]

/** Checks that no host is shut out by its User-Agent or its Accept. */
export async function checkAgents(visit, opened) {
  const { report } = visit
  let refused = false
  for (const [host, agent, accept] of agents) {
    const headers = { 'user-agent': agent, ...(accept && { accept }) }
    const answer = await initialize(visit, headers)
    await leave(visit, answer)
    if (answer.status === opened.status) continue
    refused = true
    const seen = `As ${agent}${accept ? ` with Accept: ${accept}` : ''}, POST initialize ${said(answer)}, where others get ${opened.status}.`
    if (answer.status === 429) {
      report.note('agents', { hosts: [host], seen, mend: 'Wait a minute, and examine it again.' })
      continue
    }
    report.problem('agents', { hosts: [host], seen, mend: agentMend(answer) })
  }
  if (!refused) report.ok('agents', 'No host is shut out by its User-Agent.')
}

const agentMend = ({ status, headers }) => {
  if (status === 406) return ANY_ACCEPT
  return headers.has('cf-ray') || headers.get('server') === 'cloudflare'
    ? 'In the Cloudflare dashboard, open AI Crawl Control and allow this crawler: it is a setting apart from Bot Fight Mode. A workers.dev address has none of this.'
    : 'Allow this User-Agent in the firewall or proxy in front of the server.'
}
