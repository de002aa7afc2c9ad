import type * as Ssh2 from 'ssh2'
import type { BaseAgent, OpenSSHAgent, ParsedKey } from 'ssh2'

/**
 * An agent that offers some keys before its others: a server that is shown too many hangs up. With a filter, it
 * offers no others.
 */
export function preferring(
  { createAgent }: typeof Ssh2,
  path: string,
  preferred: readonly Buffer[],
  filter: readonly Buffer[] | undefined,
): BaseAgent {
  const agent = createAgent(path) as OpenSSHAgent
  const all = agent.getIdentities.bind(agent)
  agent.getIdentities = (tell) =>
    all((error, keys) => tell(error, error ? undefined : ordered((keys ?? []) as ParsedKey[])))
  const ordered = (keys: readonly ParsedKey[]) => {
    const first = keys.filter((it) => isOneOf(preferred, it))
    const others = keys.filter((it) => !first.includes(it))
    return [...first, ...others].filter((it) => !filter || isOneOf(filter, it))
  }
  return agent
}

const isOneOf = (keys: readonly Buffer[], key: ParsedKey) =>
  keys.some((it) => it.equals(key.getPublicSSH()))
