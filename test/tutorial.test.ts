import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestHarness } from 'wrangler'
import { meta } from './support/mcp.ts'
import { type Packed, pack } from './support/packed.ts'
import { program } from './support/spawned.ts'

/** The steps of the page: the files with their names, and the commands. */
const steps = readFileSync('docs/mcp.md', 'utf8')
  .split(/^## (?=\d)/m)
  .slice(1)
  .map((text) => {
    const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, lang, code = '']) => ({
      lang,
      code,
      // The first line of a file is its name.
      name: /^(?:\/\/|#) (\S+)\n/.exec(code)?.[1],
    }))
    return {
      title: text.split('\n', 1)[0],
      files: blocks.filter((it) => it.lang !== 'sh'),
      commands: blocks.filter((it) => it.lang === 'sh').map((it) => it.code.trim()),
    }
  })

let packed: Packed
let at = 0
beforeAll(async () => {
  packed = await pack()
  const { project } = packed
  mkdirSync(join(project, 'node_modules/@modelcontextprotocol'))
  const client = 'node_modules/@modelcontextprotocol/client'
  symlinkSync(resolve(client), join(project, client))
}, 600_000)
afterAll(() => packed && rmSync(dirname(packed.tarball), { recursive: true }))

/** Follows the page up to a step, as its reader does. */
async function follow(step: number): Promise<void> {
  for (; at < step; at++) {
    for (const { name, code } of steps[at]!.files) packed.write(name!, code)
  }
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2024', lib: ['es2024'], types: ['node'] },
    ...{ strict: true, noEmit: true, allowImportingTsExtensions: true, noUnusedLocals: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ erasableSyntaxOnly: true, verbatimModuleSyntax: true },
    typeRoots: [resolve('node_modules/@types')],
  }
  packed.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const said = await packed.run(process.execPath, [tsc]).catch((error) => error.stdout)
  expect(said).toBe('')
}

/** Runs the server as a Worker during a function that gets its URL. */
async function asWorker<T>(act: (url: URL) => Promise<T>): Promise<T> {
  const configPath = join(packed.project, 'wrangler.toml')
  const harness = createTestHarness({ workers: [{ configPath }] })
  try {
    return await act(new URL('/mcp', (await harness.listen()).url))
  } finally {
    await harness.close()
  }
}

const shell = (command: string) => packed.run('sh', ['-c', command])

test('every file in a step has a name, and every step has commands unless it only adds files', () => {
  expect(steps).toHaveLength(6)
  expect(steps.flatMap(({ files }) => files).filter(({ name }) => !name)).toEqual([])
  // Each command is run below, or named there with the reason why not.
  expect(steps.map(({ commands }) => commands.length)).toEqual([2, 2, 0, 0, 0, 4])
})

test('the page’s commands make the project', async () => {
  // Here, the tarball is installed instead of the package in the registry. It brings zod.
  const [make] = steps[0]!.commands
  expect(make).toBe('npm init -y\nnpm pkg set type=module\nnpm install tidegate zod')
  const before = readFileSync(join(packed.project, 'package.json'), 'utf8')
  await shell(make!.split('\n').slice(0, 2).join(' && '))
  expect(JSON.parse(readFileSync(join(packed.project, 'package.json'), 'utf8'))).toMatchObject({
    type: 'module',
    dependencies: JSON.parse(before).dependencies,
  })
})

test('step 1 makes a server with one tool, and inspect shows it', async () => {
  await follow(1)
  expect(await shell(steps[0]!.commands[1]!)).toContain('portions  perPerson*, people*')
  const answer = await asWorker((url) =>
    shell(
      `curl -s ${url} -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"portions","arguments":{"perPerson":80,"people":4}}}'`,
    ),
  )
  expect(JSON.parse(answer).result.structuredContent).toEqual({ total: 320 })
})

test('step 2 puts milk on the list', async () => {
  await follow(2)
  const [dev, curl] = steps[1]!.commands
  expect(dev).toBe('npx wrangler dev')
  const answer = await asWorker((url) => {
    expect(curl).toContain(' http://127.0.0.1:8787/mcp ')
    return shell(curl!.replace('http://127.0.0.1:8787/mcp', url.href))
  })
  expect(answer).toContain('"structuredContent":{"items":["milk"]}')
})

test.each([3, 4])('step %i type-checks', follow)

test('step 6 prints what the page says', async () => {
  await follow(6)
  const [install, run, add, deploy] = steps[5]!.commands
  expect(install).toBe('npm install --save-dev @modelcontextprotocol/client')
  const said = (await shell(run!)).trimEnd().split('\n')
  expect(said.filter((it) => /^(?:Changed|The server)/.test(it))).toEqual([
    'Changed: shopping://list',
    'The server asks: Take bread off the list?',
    'Changed: shopping://list',
  ])
  expect(said.filter((it) => !/^(?:Changed|The server)/.test(it)).join('')).toMatch(
    /"items":\["bread"\].*bread is off the list\./,
  )
  // These need a program that is not installed, and a Cloudflare account.
  expect(add).toMatch(/^claude mcp add .* -- npx -y tidegate run "\$PWD"$/)
  expect(deploy).toBe('npx wrangler deploy')
})

describe.each(['http', 'stdio'] as const)('the finished server over %s', (transport) => {
  let url: URL | undefined
  let over: (() => void) | undefined
  let closed: Promise<void> | undefined
  beforeAll(async () => {
    await follow(6)
    if (transport === 'stdio') return
    const { promise, resolve: ready } = Promise.withResolvers<void>()
    closed = asWorker(async (it) => {
      url = it
      ready()
      await new Promise<void>((resolve) => {
        over = resolve
      })
    })
    await Promise.race([promise, closed])
  })
  afterAll(async () => {
    over?.()
    await closed
  })

  describe.each(['legacy', 'modern'] as const)('in the %s era', (era) => {
    const asked: string[] = []
    const heard: string[] = []
    const open: Client[] = []
    afterEach(async () => {
      await Promise.all(open.splice(0).map((it) => it.close()))
      asked.length = 0
      heard.length = 0
    })

    async function connect(remove: boolean): Promise<Client> {
      const client = new Client(
        { name: 'test', version: '1' },
        {
          versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
          capabilities: { elicitation: { form: {} } },
        },
      )
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message)
        return { action: 'accept', content: { remove } }
      })
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        heard.push(params.uri)
      })
      open.push(client)
      await client.connect(
        url
          ? new StreamableHTTPClientTransport(url)
          : new StdioClientTransport({
              command: process.execPath,
              args: ['node_modules/tidegate/bin/tidegate.mjs', 'run'],
              cwd: packed.project,
              stderr: 'pipe',
            }),
      )
      return client
    }
    const textOf = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
      const { content } = await client.callTool({ name, arguments: args })
      return (content as { text: string }[])[0]!.text
    }

    test('asks the user, and follows the answer', async () => {
      const item = `bread ${era}`
      const kind = await connect(false)
      await textOf(kind, 'add_item', { item })
      expect(await textOf(kind, 'remove_item', { item })).toBe('The person wants to keep it.')
      expect(asked).toEqual([`Take ${item} off the list?`])
      // Over stdio, each client has its own server.
      const other = url ? await connect(true) : kind
      const { contents } = await other.readResource({ uri: 'shopping://list' })
      expect(contents).toMatchObject([{ text: item }])
      other.setRequestHandler('elicitation/create', () => ({
        action: 'accept',
        content: { remove: true },
      }))
      expect(await textOf(other, 'remove_item', { item })).toBe(`${item} is off the list.`)
      expect(await other.callTool({ name: 'remove_item', arguments: { item } })).toMatchObject({
        isError: true,
        content: [{ text: `The list has no ${item}.` }],
      })
    })

    test('notifies subscribers that the list has changed', async () => {
      const client = await connect(true)
      const uri = 'shopping://list'
      if (era === 'legacy') await client.subscribeResource({ uri })
      else await client.listen({ resourceSubscriptions: [uri] })
      await textOf(client, 'add_item', { item: 'salt' })
      await expect.poll(() => heard).toEqual([uri])
      await textOf(client, 'remove_item', { item: 'salt' })
      await expect.poll(() => heard).toEqual([uri, uri])
    })

    test('waits until everything is bought', async () => {
      const client = await connect(true)
      await textOf(client, 'add_item', { item: 'rice' })
      // A client without tasks waits for the answer.
      const waiting = textOf(client, 'wait_until_bought')
      await textOf(client, 'remove_item', { item: 'rice' })
      expect(await waiting).toBe('All is bought.')
    })

    if (era === 'modern') {
      test('waits in a task for clients that support tasks', async () => {
        const client = await connect(true)
        await textOf(client, 'add_item', { item: 'rice' })
        const call = { name: 'wait_until_bought', arguments: {} }
        const { taskId, ...task } = await asTaskClient(client, 'tools/call', call)
        expect(task).toMatchObject({ resultType: 'task', status: 'working' })
        const get = () => asTaskClient(client, 'tasks/get', { taskId })
        expect(await get()).toMatchObject({ status: 'working' })
        await textOf(client, 'remove_item', { item: 'rice' })
        await expect
          .poll(get, { interval: 200, timeout: 60_000 })
          .toMatchObject({ status: 'completed', result: { content: [{ text: 'All is bought.' }] } })
      })
    }
  })
})

test('a command outside the project asks and refuses in the same way', async () => {
  await follow(6)
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { remove: true },
  }))
  await client.connect(
    new StdioClientTransport({
      ...{ command: process.execPath, args: [program, 'run', packed.project], stderr: 'pipe' },
    }),
  )
  const call = (name: string) => client.callTool({ name, arguments: { item: 'wine' } })
  expect(await call('remove_item')).toMatchObject({
    isError: true,
    content: [{ text: 'The list has no wine.' }],
  })
  await call('add_item')
  expect(await call('remove_item')).toMatchObject({ content: [{ text: 'wine is off the list.' }] })
  await client.close()
})

/** Sends a request as a client that supports tasks, which the official client does not. */
function asTaskClient(client: Client, method: string, params: object): Promise<Said> {
  const transport = client.transport!
  const id = crypto.randomUUID()
  const { promise, resolve: answer } = Promise.withResolvers<Said>()
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    if (!('id' in message) || message.id !== id) return onmessage?.(message, extra)
    transport.onmessage = onmessage!
    answer('result' in message ? message.result : message)
  }
  const _meta = {
    ...meta(),
    'io.modelcontextprotocol/clientCapabilities': {
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  }
  void transport.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })
  return promise
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
type Said = any
