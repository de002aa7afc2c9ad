import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Mend } from '../../src/registry/mend/mend.ts'
import { mendOf } from '../../src/registry/mend/mend-of.ts'
import type { About, Problem } from '../../src/registry/mend/problem.ts'

const RDS = 'shop.c9x2.eu-central-1.rds.amazonaws.com'
const SUPABASE = 'db.abcdefghijklmnopqrst.supabase.co'
const TLS = 'The database does not speak TLS.'
const CERTIFICATE = 'The certificate of the database cannot be trusted for its host.'

const problems: readonly Problem[] = [
  { kind: 'auth', code: '28P01', message: 'refused' },
  { kind: 'auth', code: '28000', message: 'refused' },
  ...['1044', '1045', '1130'].map((code): Problem => ({ kind: 'auth', code, message: 'refused' })),
  { kind: 'network', message: 'The database cannot be reached. Try again later.' },
  { kind: 'network', message: 'None of the servers of the database is standby at the moment.' },
  { kind: 'timeout', message: 'late' },
  { kind: 'sql', message: 'wrong' },
  { kind: 'refused', message: 'refused' },
  { kind: 'too_large', message: 'large' },
  { kind: 'private_host', message: 'private' },
  { kind: 'unresolved_host', message: 'unknown' },
  { kind: 'internal', message: 'It failed. The reason is in the log.' },
  { kind: 'config', message: TLS },
  { kind: 'config', message: CERTIFICATE },
  { kind: 'config', message: 'The sslrootcert of the database URL names authorities of your own.' },
  { kind: 'config', code: '3D000', message: 'gone' },
  { kind: 'config', message: 'This deployment has no D1 database bound as "SHOP".' },
  { kind: 'config', message: 'The secret SHOP is not set.' },
  { kind: 'config', message: 'Its credential cannot be decrypted: …' },
  { kind: 'config', message: 'Something else.' },
  ...['RDS', 'Cloud SQL', 'AlloyDB'].map((service): Problem => {
    const message = `The database refused the IAM token of ${service} for the user of this endpoint.`
    return { kind: 'auth', message }
  }),
  { kind: 'config', message: `${CERTIFICATE} Hyperdrive … takes no login by IAM.` },
  { kind: 'config', message: 'This deployment has no secret AWS_ACCESS_KEY_ID, which logs in …' },
  { kind: 'config', message: 'This deployment does not let … have a token of Google. …' },
  { kind: 'config', message: 'Google refuses the key that this deployment has as the secret X.' },
]

const faults = ['none', 'old', 'new', 'expired', 'early', 'name', 'unknown'] as const

const databases: readonly About[] = [
  ...['postgres', 'mysql', 'mariadb', 'clickhouse', 'clickhouses', 'libsql', 'rqlite', 'neon'].map(
    (scheme): About => ({ endpoint: 'web-shop', database: 'main', scheme, host: 'db.example.com' }),
  ),
  { scheme: 'postgres', host: RDS, port: 5433, endpoint: 'shop', database: 'main' },
  { scheme: 'postgres', host: SUPABASE },
  { scheme: 'postgres', host: 'aws-0-eu-central-1.pooler.supabase.com', port: 6543 },
  { scheme: 'postgres', host: 'localhost' },
  { scheme: 'postgres', host: '10.0.0.7' },
  { scheme: 'postgres', host: '[fd12::7]' },
  { scheme: 'postgres', host: 'db1.example.com,db2.example.com' },
  { scheme: 'postgres', host: 'db.$(reboot).example.com' },
  {
    scheme: 'postgres',
    host: '-reboot.example.com',
    login: { user: '--reboot', database: '-reboot' },
  },
  { scheme: 'mysql', host: '--reboot' },
  { scheme: 'mysql', host: '10.0.0.7' },
  ...faults.map(
    (fault): About => ({
      scheme: 'mariadb',
      host: 'db.example.com',
      certificate: { protocol: 'mysql', fault, sentence: 'It is so.', names: ['db.example.org'] },
    }),
  ),
  ...[
    'Amazon RDS eu-central-1 Root CA',
    'Google Cloud SQL Server CA',
    '1f4-c2 Project CA',
    'MySQL_Server_8.0.36_Auto_Generated_CA_Certificate',
  ].map(
    (issuer): About => ({
      scheme: 'mysql',
      host: '192.0.2.7',
      certificate: {
        protocol: 'mysql',
        fault: 'name',
        issuer,
        names: [issuer],
        sentence: 'It is so.',
      },
    }),
  ),
  { scheme: 'hyperdrive', binding: 'SHOP' },
  { scheme: 'd1', binding: 'SHOP' },
  { scheme: 'd1', host: '0123456789abcdef0123456789abcdef' },
  { scheme: 'secret', binding: 'SHOP' },
  { scheme: 'supabase', host: 'abcdefghijklmnopqrst' },
  { scheme: 'demo' },
  { scheme: 'unknown' },
]

const all = problems.flatMap((problem) =>
  databases.map((about) => [problem, about, mendOf(problem, about)] as const),
)

const stepsOf = ({ steps, others = [] }: Mend) => [...steps, ...others]

describe('every mend', () => {
  test('says what is true, and has a step', () => {
    for (const [, , mend] of all) {
      expect(mend.sentence).toMatch(/^\S.*[.…]$/s)
      expect(mend.steps.length).toBeGreaterThan(0)
      for (const { say } of stepsOf(mend)) expect(say).toMatch(/[.:;]$/)
      expect(JSON.stringify(mend)).not.toMatch(/undefined|null|NaN|\[object/)
    }
  })

  test('names in replace what stands in its command', () => {
    for (const [, , mend] of all) {
      for (const { command = '', replace = [] } of stepsOf(mend)) {
        for (const word of replace) {
          const isOptional = ['HOST', 'USER', 'DATABASE'].includes(word)
          if (!isOptional) expect(command).toContain(word)
        }
      }
    }
  })

  test('has no host in a command that a shell would read more in', () => {
    for (const [, , mend] of all) {
      for (const { command = '' } of stepsOf(mend)) expect(command).not.toContain('reboot')
    }
  })
})

test.each([
  ['a certificate of Amazon', { kind: 'config', message: CERTIFICATE }, RDS, 'global-bundle.pem'],
  [
    'an address within a network',
    { kind: 'private_host', message: '' },
    '10.0.0.7',
    '--ipv4 10.0.0.7',
  ],
  [
    'a name within a network',
    { kind: 'private_host', message: '' },
    'db.internal',
    '--hostname db.internal',
  ],
  [
    'a firewall of Amazon',
    { kind: 'network', message: '' },
    RDS,
    'authorize-security-group-ingress',
  ],
  [
    'a name with a mistake',
    { kind: 'unresolved_host', message: '' },
    'shop.rds.amazonaws.con',
    'dig +short',
  ],
] as const)('%s has its commands', (_, problem, host, command) => {
  const mend = mendOf(problem, { scheme: 'postgres', host })
  expect(
    stepsOf(mend)
      .map((it) => it.command ?? '')
      .join('\n'),
  ).toContain(command)
})

test('a token that is refused is mended by the service and the engine that it is for', () => {
  const commandsOf = (service: string, about: About) => {
    const message = `The database refused the IAM token of ${service} for the user of this endpoint. …`
    const mend = mendOf({ kind: 'auth', message }, about)
    expect(mend).toMatchObject({ kind: 'login', sentence: expect.stringContaining(service) })
    return stepsOf(mend)
      .map(({ say, command = '' }) => say + command)
      .join('\n')
  }
  const aurora = { scheme: 'postgres', host: 'shop.cluster-ro-c9x2.eu-west-1.rds.amazonaws.com' }
  expect(commandsOf('RDS', aurora)).toMatch(
    /modify-db-cluster[\s\S]*GRANT rds_iam[\s\S]*rds-db:connect/,
  )
  const mysql = { scheme: 'mysql', host: RDS }
  expect(commandsOf('RDS', mysql)).toMatch(/modify-db-instance[\s\S]*AWSAuthenticationPlugin/)
  expect(commandsOf('Cloud SQL', { scheme: 'postgres' })).toContain('with %40 for its @')
  expect(commandsOf('Cloud SQL', { scheme: 'mysql' })).toContain('before the @')
  const distrusted = {
    kind: 'config',
    message: `${CERTIFICATE} Hyperdrive … takes no login by IAM.`,
  }
  const { kind, steps } = mendOf(distrusted as Problem, mysql)
  expect([kind, steps[0]!.say]).toEqual([
    'certificate',
    expect.stringContaining('a user with a password'),
  ])
  expect(JSON.stringify(steps)).toContain('--sslmode VERIFY_IDENTITY')
  expect(commandsOf('AlloyDB', { scheme: 'postgres' })).toContain('alloydb.databaseUser')
  const plain = { kind: 'config', message: `${TLS} A token goes over TLS only, and none was sent.` }
  const encrypt = mendOf(plain as Problem, mysql)
  expect(encrypt.kind).toBe('no_tls')
  expect(JSON.stringify(encrypt)).not.toMatch(/DISABLED|hyperdrive/)
})

test('a secret of a cloud that is missing is set by its name', () => {
  const commandsOf = (message: string) =>
    mendOf({ kind: 'config', message }, { scheme: 'mysql', host: 'db.example.com' }).steps.map(
      ({ command }) => command,
    )
  const missing =
    'This deployment has no secret SALES_AWS_SECRET_ACCESS_KEY, which logs in to this database. …'
  expect(commandsOf(missing)).toEqual(['npx wrangler secret put SALES_AWS_SECRET_ACCESS_KEY'])
  const key =
    'Google refuses the key that this deployment has as the secret GOOGLE_SERVICE_ACCOUNT_KEY. …'
  expect(commandsOf(key)).toContain('npx wrangler secret put GOOGLE_SERVICE_ACCOUNT_KEY')
  const host =
    'This deployment does not let the host of this database have a token of Google. The operator …'
  expect(commandsOf(host)).toContain('[vars]\nGOOGLE_IAM_HOSTS = "db.example.com"')
})

test('servers that answer and are not wanted are not told as ones that do not answer', () => {
  const message = 'None of the servers of the database is standby at the moment.'
  const mend = mendOf({ kind: 'network', message }, { scheme: 'postgres', host: 'a.example.com' })
  expect([mend.kind, mend.sentence]).toEqual(['setup', message])
  expect(mend.steps[0]!.say).toContain('target_session_attrs')
})

test('a name with a mistake in its end is told the end that is given out', () => {
  const unresolved = { kind: 'unresolved_host', message: '' } as const
  const say = (host: string) => mendOf(unresolved, { scheme: 'postgres', host }).steps[0]!.say
  expect(say('shop.c9x2.eu-central-1.rds.amazonaws.con')).toContain(
    'shop.c9x2.eu-central-1.rds.amazonaws.com',
  )
  expect(say('ep-cool.us-east-2.aws.neon.teh')).toContain('ep-cool.us-east-2.aws.neon.tech')
  expect(say('db.example.com')).not.toContain('may be')
})

test('a name that leads to the proxy of Cloudflare is told so', () => {
  const about = {
    scheme: 'postgres',
    host: 'db.example.com',
    addresses: ['104.16.1.2', '2606:4700::1'],
  }
  expect(mendOf({ kind: 'network', message: '' }, about).sentence).toContain('Cloudflare’s proxy')
  const mixed = { ...about, addresses: ['104.16.1.2', '192.0.2.7'] }
  expect(mendOf({ kind: 'network', message: '' }, mixed).sentence).toContain('Nothing answers')
})

test('an authority of its own can be named to npm start', () => {
  for (const scheme of ['postgres', 'mysql', 'clickhouses', 'libsql']) {
    const { others = [] } = mendOf(
      { kind: 'config', message: CERTIFICATE },
      { endpoint: 'shop', scheme, host: 'localhost' },
    )
    expect(others.map(({ command }) => command)).toContain('NODE_EXTRA_CA_CERTS=shop.pem npm start')
  }
})

test('a secret that logs in is set at Cloudflare, or for npm start', () => {
  const message = 'This deployment has no secret AWS_ACCESS_KEY_ID, which logs in …'
  const { steps } = mendOf({ kind: 'config', message }, { scheme: 'postgres', host: RDS })
  expect(steps[0]).toMatchObject({
    say: expect.stringContaining('.dev.vars'),
    command: 'npx wrangler secret put AWS_ACCESS_KEY_ID',
  })
})

test('what is behind Hyperdrive is looked for there', () => {
  const { sentence, steps } = mendOf(
    { kind: 'network', message: 'The database cannot be reached.' },
    { scheme: 'hyperdrive', binding: 'SHOP' },
  )
  expect(sentence).toContain('Hyperdrive got no connection')
  expect(steps.map(({ command }) => command)).toEqual(['npx wrangler hyperdrive list', undefined])
})

const run = promisify(execFile)
const wrangler = join(import.meta.dirname, '../../node_modules/wrangler/bin/wrangler.js')

/** The commands of wrangler that mends have, and those whose options are compared with its help. */
const COMMANDS = ['d1 list', 'hyperdrive list', 'secret put', 'tail', 'tunnel create', 'tunnel run']
const WITH_OPTIONS = [
  'cert upload certificate-authority',
  'hyperdrive create',
  'hyperdrive update',
  'vpc service create',
]

const lines = all
  .flatMap(([, , mend]) => stepsOf(mend).map(({ command = '' }) => command))
  .flatMap((command) => command.replaceAll(/\\\n\s*/g, '').split('\n'))
  .filter((line) => line.startsWith('npx wrangler '))
const pathOf = (line: string) =>
  [...COMMANDS, ...WITH_OPTIONS].find((it) => line.startsWith(`npx wrangler ${it}`))

test('every command of wrangler is one of these, and only some have options', () => {
  expect([...new Set(lines.map(pathOf))].sort()).toEqual([...COMMANDS, ...WITH_OPTIONS].sort())
  const others = lines.filter((line) => COMMANDS.includes(pathOf(line)!))
  expect(others.filter((line) => line.includes('--'))).toEqual([])
})

// wrangler writes a binding only into settings that are JSON. For TOML it prints the lines.
test('a new Hyperdrive is bound by hand, before the Worker is deployed with it', () => {
  const made = all
    .map(([, , mend]) => stepsOf(mend))
    .filter((steps) => steps.some(({ command = '' }) => command.includes('hyperdrive create')))
  expect(made.length).toBeGreaterThan(0)
  for (const steps of made) {
    const deploy = steps.find(({ command }) => command === 'npm run deploy')
    expect(deploy?.say).toContain('at the end of wrangler.toml')
  }
  expect(lines.filter((line) => line.includes('--update-config'))).toEqual([])
})

test('wrangler has the commands, with the options that are used', async () => {
  for (const path of WITH_OPTIONS) {
    const env = { ...process.env, WRANGLER_SEND_METRICS: 'false' }
    const { stdout } = await run(process.execPath, [wrangler, ...path.split(' '), '--help'], {
      env,
    })
    const used = lines
      .filter((line) => pathOf(line) === path)
      .join(' ')
      .match(/--[a-z0-9-]+/g)
    expect(stdout).toContain(`wrangler ${path}`)
    for (const option of new Set(used)) expect(stdout).toMatch(new RegExp(`${option}[ ,]`))
  }
}, 120_000)

test('on a machine, no mend is for a Worker', () => {
  // D1 by its API is the account's, wherever this runs; Hyperdrive is not there.
  const there = databases.filter(({ scheme }) => !['d1', 'hyperdrive'].includes(scheme))
  const bound: About[] = [
    { scheme: 'd1', binding: 'SHOP' },
    { scheme: 'hyperdrive', binding: 'SHOP' },
    { scheme: 'secret', binding: 'SHOP' },
  ]
  const missing = problems.filter(({ message }) => /bound as|^The secret /.test(message))
  const mends = [
    ...there.flatMap((about) => problems.map((it) => mendOf(it, { ...about, platform: 'node' }))),
    ...bound.flatMap((about) => missing.map((it) => mendOf(it, { ...about, platform: 'node' }))),
  ]
  for (const { sentence, steps, others = [] } of mends) {
    const told = JSON.stringify([sentence, steps, others])
    // A problem may say it itself.
    const own = problems.reduce((text, { message }) => text.replaceAll(message, ''), told)
    expect(own).not.toMatch(/wrangler|\ba Worker\b|the Worker|npm |dev\.vars/)
    expect(own).not.toMatch(/Hyperdrive (?!is bound)/)
    expect(steps.length).toBeGreaterThan(0)
  }
  const { steps } = mendOf(
    { kind: 'config', message: 'The secret SHOP is not set.' },
    { scheme: 'secret', binding: 'SHOP', platform: 'stdio' },
  )
  expect(steps).toMatchObject([{ say: expect.stringContaining('--vars'), command: 'SHOP=VALUE' }])
  const { steps: trust } = mendOf(
    { kind: 'config', message: CERTIFICATE },
    { scheme: 'postgres', host: RDS, endpoint: 'shop', platform: 'node' },
  )
  expect(trust.map(({ command = '' }) => command).join('\n')).toMatch(
    /truststore[\s\S]*NODE_EXTRA_CA_CERTS=shop.pem npx tidegate serve/,
  )
})
