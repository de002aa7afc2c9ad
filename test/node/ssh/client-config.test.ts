import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, win32 } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { settingsOf } from '../../../src/node/ssh/client-config.ts'
import { here } from '../../../src/node/ssh/here.ts'
import { routeOf } from '../../../src/node/ssh/route.ts'

const home = mkdtempSync(join(tmpdir(), 'tidegate-ssh-config-'))
const folder = join(home, '.ssh')
mkdirSync(join(folder, 'conf.d'), { recursive: true })
const path = join(folder, 'config')
afterAll(() => rmSync(home, { recursive: true }))

const at = { ...here({ USER: 'me' }, home, 'linux'), systemFolder: join(home, 'none') }

writeFileSync(join(folder, 'conf.d', 'one.conf'), 'Host included\n Port 2201\n')
writeFileSync(join(folder, 'conf.d', 'two.conf'), 'Host *\n Port 2202\n')
writeFileSync(join(folder, 'conf.d', '.hidden.conf'), 'Port 1\n')

const FILE = `# the office
Include ${folder}/conf.d/o*.conf
Host office *.example.com !no.example.com
  HostName=10.0.0.1
  User "jane"   # who
\tPort 2222
  IdentityFile ~/.ssh/work
  identityfile "/keys/of %r"
Host office
  Port 1
  IdentitiesOnly yes
Match host 10.0.0.1 user jane
  ProxyJump near,far
Match originalhost office,other !user jane
  ProxyJump never
Match exec "true"
  User never
Host o?her
  User=bob
Match all
  ServerAliveInterval 7
Host *
  Port 2202
  User everybody
  UserKnownHostsFile /a /b
`

const NAMES = ['office', 'db.example.com', 'no.example.com', 'other', 'OTHER', 'included', 'else']
const SHOWN = ['hostname', 'user', 'port', 'proxyjump', 'identitiesonly', 'serveraliveinterval']

/** What OpenSSH makes of it, where it is installed. */
function asked(name: string): Map<string, string> | undefined {
  try {
    // It would run what `exec` asks for, and we do not.
    writeFileSync(`${path}.plain`, FILE.replace('Match exec "true"', 'Host nobody'))
    const text = execFileSync('ssh', ['-G', '-F', `${path}.plain`, name], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return new Map(text.split('\n').map((line) => line.split(/ (.*)/s) as [string, string]))
  } catch {
    return undefined
  }
}

test.each(NAMES)('%s is what OpenSSH says of it', async (name) => {
  writeFileSync(path, FILE)
  const [own, theirs] = [await settingsOf(name, undefined, at), asked(name)]
  if (!theirs) return
  for (const keyword of SHOWN) {
    const value = own.get(keyword)?.join(' ')
    if (value !== undefined) expect([keyword, value]).toEqual([keyword, theirs.get(keyword)])
    else
      expect([undefined, 'no', '0', '22', name, name.toLowerCase()]).toContain(theirs.get(keyword))
  }
})

test('all files of keys count, with what their names stand for', async () => {
  writeFileSync(path, FILE.replace(/ {2}ProxyJump near,far\n/, ''))
  const [hop] = await routeOf({ through: 'office', keyFile: '~/mine' }, at)
  expect(hop).toMatchObject({ host: '10.0.0.1', port: 2222, user: 'jane', isOnlyThese: true })
  expect(hop!.keyFiles).toEqual([join(home, 'mine'), join(folder, 'work'), '/keys/of jane'])
})

test('what is written for a tunnel counts more', async () => {
  writeFileSync(path, FILE)
  const [before, hop] = await routeOf({ through: 'ann@other:99' }, at)
  expect(before).toMatchObject({ host: 'never', port: 2202, user: 'everybody' })
  expect(hop).toMatchObject({ host: 'other', port: 99, user: 'ann' })
})

test('files that include each other are refused', async () => {
  writeFileSync(path, `Include ${path}`)
  await expect(settingsOf('office', undefined, at)).rejects.toThrow('includes itself')
})

test('on Windows, folders and the agent are where Windows has them', async () => {
  const windows = here({ ProgramData: 'D:\\Data', USERNAME: 'me' }, 'C:\\Users\\me', 'win32')
  expect(windows.userFolder).toBe('C:\\Users\\me\\.ssh')
  expect(windows.systemFolder).toBe('D:\\Data\\ssh')
  expect(windows.expand('~\\.ssh\\work')).toBe('C:\\Users\\me\\.ssh\\work')
  expect(windows.expand('~/.ssh/work')).toBe('C:\\Users\\me\\.ssh\\work')
  const files: Record<string, string> = {
    'C:\\Users\\me\\.ssh\\config':
      'Host office\r\n  HostName 10.0.0.1\r\n  User "jane"\r\n  Include conf.d\\a\r\n',
    'C:\\Users\\me\\.ssh\\conf.d\\a':
      'IdentityFile ~/.ssh/work\r\nIdentityFile C:\\keys\\other\r\n',
  }
  const read = async (file: string) => files[win32.normalize(file)]
  const [hop] = await routeOf({ through: 'office' }, { ...windows, read })
  expect(hop).toMatchObject({
    ...{ host: '10.0.0.1', user: 'jane', agent: '\\\\.\\pipe\\openssh-ssh-agent' },
    keyFiles: ['C:\\Users\\me\\.ssh\\work', 'C:\\keys\\other'],
  })
})
