import type { Fix, FixStep } from '../../database/index.ts'
import { type FixProblem, isOnMachine, type KnownFacts, serverOf } from './problem.ts'

/** Fix for a login that the server refuses. */
export function loginFix({ reason }: FixProblem, about: KnownFacts): Fix {
  const { title, login } = about.engine
  const { sentence, steps } = login?.(about, reason) ?? { steps: [] }
  if (sentence) return { kind: 'login', sentence, steps: [...steps, again(about)] }
  const all = [...steps, tryIt(about), again(about)]
  return {
    kind: /\bpooler\b/.test(about.host ?? '') ? 'pooler' : 'login',
    sentence: `${title} refuses the login. The user or the password is wrong, or this user is not allowed to connect from outside.`,
    steps: all.filter((it) => it !== undefined),
  }
}

/** Step for the same login from another program, which shows whether the problem is in Tidegate. */
function tryIt(about: KnownFacts): FixStep | undefined {
  const { tryLogin } = about.engine
  if (!tryLogin) return undefined
  return {
    message: `Try the same login from your own machine. If it is refused there too, it is not because of ${isOnMachine(about) ? 'Tidegate' : 'the Worker'}.`,
    command: tryLogin(about, serverOf(about)),
    replace: ['HOST', 'USER', 'DATABASE'],
  }
}

function again({ endpoint = 'ENDPOINT', database = 'DATABASE', scheme }: KnownFacts): FixStep {
  if (scheme === 'hyperdrive') {
    return {
      message: 'Give the Hyperdrive the new password.',
      command: 'npx wrangler hyperdrive update ID --origin-password PASSWORD',
      replace: ['ID', 'PASSWORD'],
    }
  }
  const isWord = (it: string) => /^[\w-]{1,31}$/.test(it)
  const names =
    isWord(endpoint) && isWord(database) ? `${endpoint} ${database}` : 'ENDPOINT DATABASE'
  return {
    message: 'Enter the connection string again: here, or on the command line, which asks for it.',
    command: `npx tidegate credential set ${names}`,
    ...(names.includes('E') && { replace: ['ENDPOINT', 'DATABASE'] }),
  }
}
