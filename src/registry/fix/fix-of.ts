import type { Fix, Reason } from '../../database/index.ts'
import { certificateFix, plainFix } from './certificate.ts'
import { privateFix, unknownHostFix } from './host.ts'
import {
  loginKeyFix,
  loginSecretFix,
  plainTokenFix,
  refusedTokenFix,
  tokenHostFix,
  untrustedTokenFix,
} from './iam.ts'
import { loginFix } from './login.ts'
import { type FixProblem, type KnownFacts, knownOf, type ProblemSubject } from './problem.ts'
import { setup } from './setting.ts'
import {
  bindingFix,
  databaseFix,
  oursFix,
  rightsFix,
  sealedFix,
  sealingSecretFix,
  secretFix,
  slowFix,
} from './setup.ts'
import { unreachableFix } from './unreachable.ts'

/** The fix for a problem with a database: a description, and the steps with their commands. */
export async function fixOf(problem: FixProblem, about: ProblemSubject): Promise<Fix> {
  const { kind, reason } = problem
  const fixing = reason === undefined ? BY_KIND[kind] : BY_REASON[reason]
  return fixing(problem, await knownOf(about))
}

type Fixing = (problem: FixProblem, about: KnownFacts) => Fix | Promise<Fix>

/** Fix for a connection string if none of its servers meets its requirements. */
const unwantedFix = ({ message }: FixProblem): Fix =>
  setup(message, {
    message:
      'Name another server in the connection string, or request another kind with target_session_attrs. While servers switch roles, test again in a minute.',
  })

/** Fix for a local file that the connection string names. */
const fileFix = ({ message }: FixProblem): Fix =>
  setup(message, {
    message:
      'Correct the file on the machine that Tidegate runs on, or name another one in the connection string. Then test again.',
  })

/** Fix for a machine that can open no more connections. */
const descriptorFix = ({ message }: FixProblem): Fix =>
  setup(message, {
    message:
      'Raise the open-file limit on the machine that Tidegate runs on: ulimit -n, LimitNOFILE in systemd, or --ulimit nofile in Docker. Then restart Tidegate.',
  })

/** Fix for a connection string that requires something impossible. */
const settingFix = ({ message }: FixProblem): Fix =>
  setup(message, { message: 'Enter the connection string again.' })

const BY_REASON: Readonly<Record<Reason, Fixing>> = {
  login_refused: loginFix,
  password_wrong: loginFix,
  address_refused: loginFix,
  database_denied: loginFix,
  token_refused: refusedTokenFix,
  database_not_found: (_, about) => databaseFix(about),
  server_unwanted: unwantedFix,
  not_encrypted: ({ subject }, about) => (subject ? plainTokenFix(about) : plainFix(about)),
  certificate_untrusted: ({ subject }, about) =>
    subject ? untrustedTokenFix(about) : certificateFix(about),
  authority_not_here: ({ message }, about) => ({
    ...certificateFix(about),
    sentence: message.slice(0, 500),
  }),
  tls_file_unusable: fileFix,
  tls_failed: settingFix,
  no_descriptor: descriptorFix,
  host_private: (_, about) => privateFix(about),
  binding_missing: (_, about) => bindingFix(about),
  secret_missing: (_, about) => secretFix(about),
  credential_unreadable: (_, about) => sealedFix(about),
  sealing_secret_unusable: sealingSecretFix,
  login_secret_missing: loginSecretFix,
  login_key_refused: loginKeyFix,
  token_host_not_allowed: (_, about) => tokenHostFix(about),
}

/** Fixes that depend only on the kind of problem. */
const BY_KIND: Readonly<Record<FixProblem['kind'], Fixing>> = {
  private_host: (_, about) => privateFix(about),
  unresolved_host: (_, about) => unknownHostFix(about),
  auth: loginFix,
  network: (_, about) => unreachableFix(about),
  timeout: (_, about) => slowFix(about),
  config: settingFix,
  sql: (_, about) => rightsFix(about),
  refused: (_, about) => rightsFix(about),
  too_large: (_, about) => rightsFix(about),
  internal: oursFix,
}
