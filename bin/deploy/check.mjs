// Looks at a database before it is deployed, as the doctor of the deployment would.
import { built } from '../lib.mjs'

/** What the doctor says of a connection string: `problem`, a sentence, and `findings` about its role. */
export async function checked(url) {
  const { openGateway } = await built('node/index')
  const key = 'tidegate-deploy'
  // A Worker has no variables of this machine.
  const gateway = await openGateway({
    variables: { DATABASE_URL: url, TIDEGATE_KEY: key },
    machine: { variables: {} },
  })
  try {
    const answer = await gateway.fetch(
      new Request('https://here.invalid/doctor?format=json&hosts=no', {
        headers: { authorization: `Bearer ${key}` },
      }),
    )
    const { problems = [], databases = [], error } = await answer.json()
    const [database] = databases
    return {
      problem: error?.message ?? problems[0] ?? database?.problem,
      findings: (database?.findings ?? []).filter(({ severity }) => severity === 'high'),
    }
  } finally {
    await gateway.close()
  }
}
