// Checks a database before it is deployed, as the deployment's doctor would.
import { openGateway } from '../../node/index.ts'

/** The parts of the `/doctor` response that matter here. */
interface DoctorAnswer {
  readonly error?: { readonly message: string }
  readonly problems?: readonly string[]
  readonly databases?: readonly {
    readonly problem?: string
    readonly findings?: readonly { readonly kind: string; readonly severity: string }[]
  }[]
}

/** The doctor's report on a connection string: `problem`, a message, and `findings` about its role. */
export async function checked(url: string) {
  const key = 'tidegate-deploy'
  // A Worker cannot read this machine's variables.
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
    const report = (await answer.json()) as DoctorAnswer
    const { problems = [], databases = [], error } = report
    const [database] = databases
    return {
      problem: error?.message ?? problems[0] ?? database?.problem,
      findings: (database?.findings ?? []).filter(({ severity }) => severity === 'high'),
    }
  } finally {
    await gateway.close()
  }
}
