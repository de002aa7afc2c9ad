import { type Fix, type FixStep, tokenFixes } from '../../database/index.ts'
import { certificateFix, plainFix } from './certificate.ts'
import {
  type FixProblem,
  hostToReplace,
  isOnMachine,
  type KnownFacts,
  shellHost,
} from './problem.ts'
import { settingStep, setup } from './setting.ts'

/** Fix for a token that the server refuses. The subject is the token's service. */
export async function refusedTokenFix(
  { subject = '' }: FixProblem,
  about: KnownFacts,
): Promise<Fix> {
  const { refusedTokens } = await tokenFixes()
  return {
    kind: 'login',
    sentence: `${about.engine.title} refuses the token. ${subject} does not say why: its user is not allowed to log in with IAM, the account behind the token is not, or the token is for another host.`,
    steps: refusedTokens[subject]?.(about, about.engine.protocol) ?? [],
  }
}

/** Fix for an untrusted certificate on a database that uses a token to log in. */
export function untrustedTokenFix(about: KnownFacts): Fix {
  const { steps, ...fix } = certificateFix(about)
  return { ...fix, steps: isOnMachine(about) ? steps : [WITH_PASSWORD, ...steps] }
}

/** Fix for a server without encryption, for a login with a token. IAM logins require encryption. */
export function plainTokenFix(about: KnownFacts): Fix {
  const { others: _, ...fix } = plainFix(about)
  return fix
}

/** Fix for a missing login secret. */
export const loginSecretFix = ({ subject = '' }: FixProblem, about: KnownFacts): Fix =>
  setup(
    `This deployment has no secret ${subject}, which the login to this database needs.`,
    secretStep(subject, about),
  )

/** Fix for a Google key that is refused or invalid. */
export const loginKeyFix = ({ message, subject = '' }: FixProblem, about: KnownFacts): Fix =>
  setup(message, NEW_KEY, secretStep(subject, about))

/** Fix for a host that gets no Google token. */
export const tokenHostFix = (about: KnownFacts): Fix =>
  setup(
    'A Google token opens every database of its service account, so only hosts that the deployment lists get one. This host is not listed.',
    hostsStep(about),
    isOnMachine(about)
      ? { message: 'Start it again. Then test again.' }
      : { message: 'Deploy. Then test again.', command: 'npm run deploy' },
  )

const secretStep = (name: string, about: KnownFacts): FixStep =>
  settingStep(
    about,
    name,
    'Set it: the command asks for it. For npm start, write it into .dev.vars instead, and start again. Then test again.',
  )

/** Step for the variable with the hosts that get a Google token. */
function hostsStep(about: KnownFacts): FixStep {
  const host = shellHost(about)
  const [where, command] = isOnMachine(about)
    ? [
        'variable in the environment of npx tidegate, or in the file that --vars names',
        `GOOGLE_IAM_HOSTS=${host}`,
      ]
    : ['list in wrangler.toml', `[vars]\nGOOGLE_IAM_HOSTS = "${host}"`]
  const message = `If the host is yours, add it to this ${where}, next to the hosts that are already there.`
  return { message, command, ...hostToReplace(about) }
}

const NEW_KEY: FixStep = {
  message:
    'Create a key for the service account, and use the entire contents of the file that it is written to.',
  command: 'gcloud iam service-accounts keys create key.json --iam-account ACCOUNT',
  replace: ['ACCOUNT'],
}

const WITH_PASSWORD: FixStep = {
  message:
    'Hyperdrive does not support IAM logins. Create a user with a password and read-only rights, and use it in the next steps. If npm start runs on a machine that can reach the database, it trusts the certificates in NODE_EXTRA_CA_CERTS, and IAM works.',
}
