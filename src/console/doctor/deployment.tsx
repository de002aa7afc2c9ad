import { counted } from '../../ground/index.ts'
import { grouped } from '../parts/texts.ts'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'
import type { DoctorCheck } from './check.tsx'

/** Checks the deployment's settings, without connecting to a database. */
export async function checkDeployment(
  visit: ConsoleVisit,
): Promise<{ readonly isUp: boolean; readonly checks: readonly DoctorCheck[] }> {
  const [status, health] = await Promise.all([
    ask<Answers['Status']>(visit, 'GET', '/status'),
    ask<Answers['Health']>(visit, 'GET', '/doctor'),
  ])
  const stored = (health.body?.stored ?? []).map(bad)
  if (!status.ok || !health.ok) {
    const refused = status.refused ?? health.refused
    const checks = stored.length === 0 && refused ? [bad(refused.message)] : stored
    return { isUp: false, checks }
  }
  const { endpoints, keys, groups, keyProblem, secretProblem, ...sealed } = status.body
  const { configuration, signIn } = health.body
  const toReseal = (sealed.credentialsToReseal ?? 0) + (sealed.signInsToReseal ?? 0)
  const checks = [
    ok(
      `The registry works: ${counted(endpoints, 'endpoint')}, ${counted(keys, 'key')}, ${counted(groups, 'group')}`,
    ),
    ...stored,
    keyProblem ? low(keyProblem) : ok('TIDEGATE_KEY is set and long enough'),
    secretProblem ? bad(secretProblem) : ok('TIDEGATE_SECRET is set and long enough'),
    configuration ? bad(configuration) : ok('The configured endpoints are valid'),
    ...(toReseal > 0
      ? [
          low(
            <>
              {grouped(toReseal)} entries are encrypted with another secret.{' '}
              <a href="/console/settings#registry">Encrypt them again</a>
            </>,
          ),
        ]
      : []),
    ...signInChecks(signIn),
  ]
  return { isUp: true, checks }
}

function signInChecks({
  state,
  ways,
  problems,
}: Answers['Health']['signIn']): readonly DoctorCheck[] {
  if (problems.length > 0) return problems.map(bad)
  if (state !== 'missing') return [ok(`People sign in with ${ways.join(', ')}`)]
  return [
    low(
      <>
        Sign-in is not set up, so apps need a key or a secret URL.{' '}
        <a href="/setup">Set up sign-in</a>
      </>,
    ),
  ]
}

const ok = (sentence: DoctorCheck['sentence']): DoctorCheck => ({ state: 'ok', sentence })
const low = (sentence: DoctorCheck['sentence']): DoctorCheck => ({ state: 'low', sentence })
const bad = (sentence: DoctorCheck['sentence']): DoctorCheck => ({ state: 'bad', sentence })
