import { ask, type Visit } from '../visit.ts'
import type { Checked } from './check.tsx'

/** Looks at the settings of the deployment, without asking a database. */
export async function deploymentChecked(
  visit: Visit,
): Promise<{ readonly status: number; readonly checks: readonly Checked[] }> {
  const [status, health] = await Promise.all([
    ask(visit, 'GET', '/status'),
    ask(visit, 'GET', '/doctor'),
  ])
  if (status.status !== 200 || health.status !== 200) {
    const { body } = status.status === 200 ? health : status
    return { status: 503, checks: [bad(body?.error?.message ?? 'The API does not answer.')] }
  }
  const { endpoints, keys, groups, secretProblem, ...sealed } = status.body
  const { configuration, signIn } = health.body
  const toReseal = (sealed.credentialsToReseal ?? 0) + (sealed.signInsToReseal ?? 0)
  return {
    status: 200,
    checks: [
      ok(
        `The registry answers: ${counted(endpoints, 'endpoint')}, ${counted(keys, 'key')}, ${counted(groups, 'group')}`,
      ),
      secretProblem
        ? bad(secretProblem)
        : ok('TIDEGATE_KEY and TIDEGATE_SECRET are set, and fit to seal with'),
      configuration ? bad(configuration) : ok('The endpoints of the configuration can be read'),
      ...(toReseal > 0
        ? [
            low(
              <>
                {toReseal.toLocaleString('en')} entries are sealed with the previous secret.{' '}
                <a href="/console/settings#registry">Seal them again</a>
              </>,
            ),
          ]
        : []),
      ...signInChecks(signIn),
    ],
  }
}

function signInChecks({
  state,
  ways,
  problems,
}: {
  readonly state: string
  readonly ways: readonly string[]
  readonly problems: readonly string[]
}): readonly Checked[] {
  if (problems.length > 0) return problems.map(bad)
  if (state === 'missing') {
    return [
      low(
        <>
          Nobody can sign in, so apps need a key, and those that send none need a secret URL.{' '}
          <a href="/setup">Set up the sign-in</a>
        </>,
      ),
    ]
  }
  return [ok(`People sign in by ${ways.join(', ')}`)]
}

const ok = (sentence: Checked['sentence']): Checked => ({ state: 'ok', sentence })
const low = (sentence: Checked['sentence']): Checked => ({ state: 'low', sentence })
const bad = (sentence: Checked['sentence']): Checked => ({ state: 'bad', sentence })

const counted = (count: number, what: string) =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
