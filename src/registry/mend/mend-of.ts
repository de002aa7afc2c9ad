import { certificateMend } from './certificate.ts'
import { privateMend, unknownHostMend } from './host.ts'
import { iamMend } from './iam.ts'
import { loginMend } from './login.ts'
import type { Mend } from './mend.ts'
import type { About, Problem } from './problem.ts'
import { bindingMend, databaseMend, oursMend, rightsMend, sealedMend, slowMend } from './setup.ts'
import { plainMend } from './unencrypted.ts'
import { unreachableMend } from './unreachable.ts'

/** What mends a problem with a database: what is true, and the steps with their commands. */
export function mendOf(problem: Problem, about: About): Mend {
  const byToken = iamMend(problem, about)
  if (byToken) return byToken
  const { kind, message } = problem
  switch (kind) {
    case 'private_host':
      return privateMend(about)
    case 'unresolved_host':
      return unknownHostMend(about)
    case 'auth':
      return loginMend(problem, about)
    case 'network':
      return /^None of the servers/.test(message) ? unwantedMend(message) : unreachableMend(about)
    case 'timeout':
      return slowMend(about)
    case 'config':
      return configMend(problem, about)
    case 'sql':
    case 'refused':
    case 'too_large':
      return rightsMend(about)
    default:
      return oursMend({ ...problem, message }, about)
  }
}

/** Servers of which none is what the connection string asks for. */
const unwantedMend = (message: string): Mend => ({
  kind: 'setup',
  sentence: message.slice(0, 500),
  steps: [
    {
      say: 'Name another server in the connection string, or ask for another kind by its target_session_attrs. While servers change places, test again in a minute.',
    },
  ],
})

/** Codes of PostgreSQL and MySQL for a database that is not there. */
const NO_DATABASE = ['3D000', '1049', '81']

function configMend(problem: Problem, about: About): Mend {
  const { code = '', message } = problem
  if (/does not speak TLS/.test(message)) return plainMend(about)
  if (/certificate of the database/.test(message)) return certificateMend(about)
  if (/^The sslrootcert of the database URL/.test(message)) {
    return { ...certificateMend(about), sentence: message.slice(0, 500) }
  }
  if (NO_DATABASE.includes(code) || /no such D1 database/.test(message)) return databaseMend(about)
  if (/bound as|binding called|^The secret /.test(message)) return bindingMend(about)
  if (/cannot be decrypted/.test(message)) return sealedMend(about)
  if (/is not public/.test(message)) return privateMend(about)
  return {
    kind: 'setup',
    sentence: message.slice(0, 500),
    steps: [{ say: 'Put in the connection string again.' }],
  }
}
