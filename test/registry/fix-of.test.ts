import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Fix, Reason } from '../../src/database/index.ts'
import { fixOf } from '../../src/registry/fix/fix-of.ts'
import type { FixProblem, ProblemSubject } from '../../src/registry/fix/problem.ts'

const RDS = 'shop.c9x2.eu-central-1.rds.amazonaws.com'
const SUPABASE = 'db.abcdefghijklmnopqrst.supabase.co'
const REASONS: Readonly<Record<Reason, Omit<FixProblem, 'reason' | 'message'>>> = {
  login_refused: { kind: 'auth' },
  password_wrong: { kind: 'auth' },
  address_refused: { kind: 'auth' },
  database_denied: { kind: 'auth' },
  token_refused: { kind: 'auth', subject: 'RDS' },
  database_not_found: { kind: 'config' },
  server_unwanted: { kind: 'network' },
  not_encrypted: { kind: 'config' },
  certificate_untrusted: { kind: 'config' },
  authority_not_here: { kind: 'config' },
  tls_file_unusable: { kind: 'config' },
  tls_failed: { kind: 'config' },
  no_descriptor: { kind: 'network' },
  host_private: { kind: 'config' },
  binding_missing: { kind: 'config' },
  secret_missing: { kind: 'config', subject: 'SHOP' },
  credential_unreadable: { kind: 'config' },
  sealing_secret_unusable: { kind: 'config' },
  login_secret_missing: { kind: 'config', subject: 'AWS_ACCESS_KEY_ID' },
  login_key_refused: { kind: 'config', subject: 'GOOGLE_SERVICE_ACCOUNT_KEY' },
  token_host_not_allowed: { kind: 'config' },
}

const problemOf = (reason: Reason, subject?: string): FixProblem => ({
  ...REASONS[reason],
  reason,
  ...(subject !== undefined && { subject }),
  message: 'It is so.',
})

const kinds = [
  ...['auth', 'network', 'timeout', 'sql', 'refused', 'too_large', 'config'],
  ...['private_host', 'unresolved_host', 'internal'],
] as FixProblem['kind'][]

const problems: readonly FixProblem[] = [
  ...kinds.map((kind) => ({ kind, message: 'It is so.' })),
  ...(Object.keys(REASONS) as Reason[]).map((it) => problemOf(it)),
  ...(['not_encrypted', 'certificate_untrusted'] as const).map((it) => problemOf(it, 'RDS')),
  ...['Cloud SQL', 'AlloyDB'].map((service) => problemOf('token_refused', service)),
]

const databases: readonly ProblemSubject[] = [
  ...['postgres', 'mysql', 'mariadb', 'clickhouse', 'clickhouses', 'libsql', 'rqlite', 'neon'].map(
    (scheme): ProblemSubject => ({
      endpoint: 'web-shop',
      database: 'main',
      scheme,
      host: 'db.example.com',
    }),
  ),
  { scheme: 'postgres', host: RDS, port: 5433, endpoint: 'shop', database: 'main' },
  { scheme: 'postgres', host: SUPABASE },
  { scheme: 'postgres', host: 'aws-0-eu-central-1.pooler.supabase.com', port: 6543 },
  { scheme: 'mysql', host: 'shop.l.db.ondigitalocean.com' },
  { scheme: 'postgres', host: 'shop.j.aivencloud.com' },
  { scheme: 'mysql', host: '1a23b4cd5e67.1a2b345c6d27.us-central1.sql.goog' },
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
  { scheme: 'hyperdrive', binding: 'SHOP' },
  { scheme: 'd1', binding: 'SHOP' },
  { scheme: 'd1', host: '0123456789abcdef0123456789abcdef' },
  { scheme: 'secret', binding: 'SHOP' },
  { scheme: 'supabase', host: 'abcdefghijklmnopqrst' },
  { scheme: 'demo' },
  { scheme: 'unknown' },
]

const all = await Promise.all(
  problems.flatMap((problem) =>
    databases.map(async (about) => [problem, about, await fixOf(problem, about)] as const),
  ),
)

const stepsOf = ({ steps, others = [] }: Fix) => [...steps, ...others]

describe('every fix', () => {
  test('has a complete sentence, and a step', () => {
    for (const [, , fix] of all) {
      expect(fix.sentence).toMatch(/^\S.*[.…]$/s)
      expect(fix.steps.length).toBeGreaterThan(0)
      for (const { message } of stepsOf(fix)) expect(message).toMatch(/[.:;]$/)
      expect(JSON.stringify(fix)).not.toMatch(/undefined|null|NaN|\[object/)
    }
  })

  test('lists only words in replace that its command contains', () => {
    for (const [, , fix] of all) {
      for (const { command = '', replace = [] } of stepsOf(fix)) {
        for (const word of replace) {
          const isOptional = ['HOST', 'USER', 'DATABASE'].includes(word)
          if (!isOptional) expect(command).toContain(word)
        }
      }
    }
  })

  test('has no command with a host that a shell would interpret', () => {
    for (const [, , fix] of all) {
      for (const { command = '' } of stepsOf(fix)) expect(command).not.toContain('reboot')
    }
  })
})

test.each([
  [
    'an address inside a network',
    { kind: 'private_host', message: '' },
    '10.0.0.7',
    '--ipv4 10.0.0.7',
  ],
  [
    'a name inside a network',
    { kind: 'private_host', message: '' },
    'db.internal',
    '--hostname db.internal',
  ],
  [
    'a firewall at Amazon',
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
] as const)('%s has its commands', async (_, problem, host, command) => {
  const fix = await fixOf(problem, { scheme: 'postgres', host })
  expect(
    stepsOf(fix)
      .map((it) => it.command ?? '')
      .join('\n'),
  ).toContain(command)
})

test('the fix for a refused token depends on its service and engine', async () => {
  const commandsOf = async (service: string, about: ProblemSubject) => {
    const fix = await fixOf(problemOf('token_refused', service), about)
    expect(fix).toMatchObject({ kind: 'login', sentence: expect.stringContaining(service) })
    return stepsOf(fix)
      .map(({ message, command = '' }) => message + command)
      .join('\n')
  }
  const aurora = { scheme: 'postgres', host: 'shop.cluster-ro-c9x2.eu-west-1.rds.amazonaws.com' }
  expect(await commandsOf('RDS', aurora)).toMatch(
    /modify-db-cluster[\s\S]*GRANT rds_iam[\s\S]*rds-db:connect/,
  )
  const mysql = { scheme: 'mysql', host: RDS }
  expect(await commandsOf('RDS', mysql)).toMatch(/modify-db-instance[\s\S]*AWSAuthenticationPlugin/)
  expect(await commandsOf('Cloud SQL', { scheme: 'postgres' })).toContain('with %40 for its @')
  expect(await commandsOf('Cloud SQL', { scheme: 'mysql' })).toContain('before the @')
  const { kind, steps } = await fixOf(problemOf('certificate_untrusted', 'RDS'), mysql)
  expect([kind, steps[0]!.message]).toEqual([
    'certificate',
    expect.stringContaining('a user with a password'),
  ])
  expect(JSON.stringify(steps)).toContain('--sslmode VERIFY_IDENTITY')
  expect(await commandsOf('AlloyDB', { scheme: 'postgres' })).toContain('alloydb.databaseUser')
  const encrypt = await fixOf(problemOf('not_encrypted', 'RDS'), mysql)
  expect(encrypt.kind).toBe('no_tls')
  expect(JSON.stringify(encrypt)).not.toMatch(/DISABLED|hyperdrive/)
})

test('a missing cloud secret is set by its name', async () => {
  const commandsOf = async (problem: FixProblem) => {
    const { steps } = await fixOf(problem, { scheme: 'mysql', host: 'db.example.com' })
    return steps.map(({ command }) => command)
  }
  const missing = problemOf('login_secret_missing', 'SALES_AWS_SECRET_ACCESS_KEY')
  expect(await commandsOf(missing)).toEqual(['npx wrangler secret put SALES_AWS_SECRET_ACCESS_KEY'])
  const key = problemOf('login_key_refused')
  expect(await commandsOf(key)).toContain('npx wrangler secret put GOOGLE_SERVICE_ACCOUNT_KEY')
  expect(await commandsOf(problemOf('token_host_not_allowed'))).toContain(
    '[vars]\nGOOGLE_IAM_HOSTS = "db.example.com"',
  )
})

test('servers that respond but are not wanted are not reported as silent', async () => {
  const message = 'None of the database servers is standby at the moment.'
  const unwanted = { ...problemOf('server_unwanted'), message }
  const fix = await fixOf(unwanted, { scheme: 'postgres', host: 'a.example.com' })
  expect([fix.kind, fix.sentence]).toEqual(['setup', message])
  expect(fix.steps[0]!.message).toContain('target_session_attrs')
})

test('a name with a mistake at its end gets the correct end as a suggestion', async () => {
  const unresolved = { kind: 'unresolved_host', message: '' } as const
  const message = async (host: string) =>
    (await fixOf(unresolved, { scheme: 'postgres', host })).steps[0]!.message
  expect(await message('shop.c9x2.eu-central-1.rds.amazonaws.con')).toContain(
    'shop.c9x2.eu-central-1.rds.amazonaws.com',
  )
  expect(await message('ep-cool.us-east-2.aws.neon.teh')).toContain(
    'ep-cool.us-east-2.aws.neon.tech',
  )
  expect(await message('db.example.com')).not.toContain('may be')
})

test('a name that leads to Cloudflare’s proxy is reported as such', async () => {
  const about = {
    scheme: 'postgres',
    host: 'db.example.com',
    addresses: ['104.16.1.2', '2606:4700::1'],
  }
  expect((await fixOf({ kind: 'network', message: '' }, about)).sentence).toContain(
    'Cloudflare’s proxy',
  )
  const mixed = { ...about, addresses: ['104.16.1.2', '192.0.2.7'] }
  expect((await fixOf({ kind: 'network', message: '' }, mixed)).sentence).toContain(
    'Nothing answers',
  )
})

test.each([
  [RDS, 'Amazon RDS', 'truststore.pki.rds.amazonaws.com'],
  [SUPABASE, 'Supabase', 'under SSL Configuration'],
  ['shop.l.db.ondigitalocean.com', 'DigitalOcean', 'doctl databases get-ca CLUSTER'],
  ['shop.j.aivencloud.com', 'Aiven', 'avn project ca-get'],
  ['1a23b4cd5e67.1a2b345c6d27.us-central1.sql.goog', 'Google Cloud SQL', 'serverCaCert.cert'],
])('the certificate authority of %s is known from the host', async (host, who, where) => {
  const fix = await fixOf(problemOf('certificate_untrusted'), { scheme: 'postgres', host })
  expect(fix.sentence).toContain(`${who} signs these certificates itself.`)
  expect(JSON.stringify(fix.steps)).toContain(where)
  expect(JSON.stringify(fix.steps)).toContain('the mode is verify-ca')
  expect(fix.others!.map(({ command }) => command)).toContain('npx tidegate doctor')
  const elsewhere = { scheme: 'postgres', host: `${host}.example.com` }
  const other = await fixOf(problemOf('certificate_untrusted'), elsewhere)
  expect(other.sentence).not.toContain('signs these certificates itself')
})

test('a private certificate authority can be set for npm start', async () => {
  for (const scheme of ['postgres', 'mysql', 'clickhouses', 'libsql']) {
    const { others = [] } = await fixOf(problemOf('certificate_untrusted'), {
      endpoint: 'shop',
      scheme,
      host: 'localhost',
    })
    expect(others.map(({ command }) => command)).toContain('NODE_EXTRA_CA_CERTS=shop.pem npm start')
  }
})

test('a secret for logging in is set at Cloudflare, or for npm start', async () => {
  const { steps } = await fixOf(problemOf('login_secret_missing'), {
    scheme: 'postgres',
    host: RDS,
  })
  expect(steps[0]).toMatchObject({
    message: expect.stringContaining('.dev.vars'),
    command: 'npx wrangler secret put AWS_ACCESS_KEY_ID',
  })
})

test('a database behind Hyperdrive is diagnosed there', async () => {
  const { sentence, steps } = await fixOf(
    { kind: 'network', message: 'The database cannot be reached.' },
    { scheme: 'hyperdrive', binding: 'SHOP' },
  )
  expect(sentence).toContain('Hyperdrive could not connect')
  expect(steps.map(({ command }) => command)).toEqual(['npx wrangler hyperdrive list', undefined])
})

const run = promisify(execFile)
const wrangler = join(import.meta.dirname, '../../node_modules/wrangler/bin/wrangler.js')

/** The wrangler commands in fixes, and the commands whose options are compared with wrangler's help. */
const COMMANDS = ['d1 list', 'hyperdrive list', 'secret put', 'tail', 'tunnel create', 'tunnel run']
const WITH_OPTIONS = [
  'cert upload certificate-authority',
  'hyperdrive create',
  'hyperdrive update',
  'vpc service create',
]

const lines = all
  .flatMap(([, , fix]) => stepsOf(fix).map(({ command = '' }) => command))
  .flatMap((command) => command.replaceAll(/\\\n\s*/g, '').split('\n'))
  .filter((line) => line.startsWith('npx wrangler '))
const pathOf = (line: string) =>
  [...COMMANDS, ...WITH_OPTIONS].find((it) => line.startsWith(`npx wrangler ${it}`))

test('every wrangler command is one of these, and only some have options', () => {
  expect([...new Set(lines.map(pathOf))].sort()).toEqual([...COMMANDS, ...WITH_OPTIONS].sort())
  const others = lines.filter((line) => COMMANDS.includes(pathOf(line)!))
  expect(others.filter((line) => line.includes('--'))).toEqual([])
})

// wrangler writes a binding only into JSON settings. For TOML, it prints the lines.
test('a new Hyperdrive is bound by hand, before the Worker is deployed with it', () => {
  const made = all
    .map(([, , fix]) => stepsOf(fix))
    .filter((steps) => steps.some(({ command = '' }) => command.includes('hyperdrive create')))
  expect(made.length).toBeGreaterThan(0)
  for (const steps of made) {
    const deploy = steps.find(({ command }) => command === 'npm run deploy')
    expect(deploy?.message).toContain('at the end of wrangler.toml')
  }
  expect(lines.filter((line) => line.includes('--update-config'))).toEqual([])
})

test('wrangler has these commands and the options that are used', async () => {
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

test('on a machine, no fix mentions a Worker', async () => {
  // D1 through its API belongs to the account, wherever this runs. Hyperdrive is not available here.
  const there = databases.filter(({ scheme }) => !['d1', 'hyperdrive'].includes(scheme))
  const bound: ProblemSubject[] = [
    { scheme: 'd1', binding: 'SHOP' },
    { scheme: 'hyperdrive', binding: 'SHOP' },
    { scheme: 'secret', binding: 'SHOP' },
  ]
  const missing = [problemOf('binding_missing'), problemOf('secret_missing')]
  const fixes = await Promise.all([
    ...there.flatMap((about) => problems.map((it) => fixOf(it, { ...about, platform: 'node' }))),
    ...bound.flatMap((about) => missing.map((it) => fixOf(it, { ...about, platform: 'node' }))),
  ])
  for (const { sentence, steps, others = [] } of fixes) {
    const told = JSON.stringify([sentence, steps, others])
    // A problem's own message can contain these words.
    const own = problems.reduce((text, { message }) => text.replaceAll(message, ''), told)
    expect(own).not.toMatch(/wrangler|\ba Worker\b|the Worker|npm |dev\.vars/)
    expect(own).not.toMatch(/Hyperdrive (?!is bound)/)
    expect(steps.length).toBeGreaterThan(0)
  }
  const { steps } = await fixOf(problemOf('secret_missing'), {
    scheme: 'secret',
    binding: 'SHOP',
    platform: 'stdio',
  })
  expect(steps).toMatchObject([
    { message: expect.stringContaining('--vars'), command: 'SHOP=VALUE' },
  ])
  const { steps: trust } = await fixOf(problemOf('certificate_untrusted'), {
    scheme: 'postgres',
    host: RDS,
    endpoint: 'shop',
    platform: 'node',
  })
  expect(trust.map(({ command = '' }) => command).join('\n')).toMatch(
    /truststore[\s\S]*NODE_EXTRA_CA_CERTS=shop.pem npx tidegate serve/,
  )
})
