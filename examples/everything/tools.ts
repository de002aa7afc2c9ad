import { type Tool, ToolError, ToolResult, tool } from 'tidegate/mcp'
import * as z from 'zod'
import { embedded, png, wav } from './media.ts'

const nothing = z.object({})

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Tools that ask nothing: all types of content, an error, progress and logs, schemas. */
export const tools: readonly Tool[] = [
  tool({
    name: 'test_simple_text',
    description: 'Answers with text.',
    input: nothing,
    run: () => 'This is a simple text response for testing.',
  }),
  tool({
    name: 'test_image_content',
    description: 'Answers with an image.',
    input: nothing,
    run: () => new ToolResult([{ type: 'image', ...png }]),
  }),
  tool({
    name: 'test_audio_content',
    description: 'Answers with a sound.',
    input: nothing,
    run: () => new ToolResult([{ type: 'audio', ...wav }]),
  }),
  tool({
    name: 'test_embedded_resource',
    description: 'Answers with a whole resource.',
    input: nothing,
    run: () =>
      new ToolResult([
        embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
      ]),
  }),
  tool({
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource at once.',
    input: nothing,
    run: () =>
      new ToolResult([
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', ...png },
        embedded(
          'test://mixed-content-resource',
          'application/json',
          '{"test":"data","value":123}',
        ),
      ]),
  }),
  tool({
    name: 'test_error_handling',
    description: 'Fails, with a message for the model.',
    input: nothing,
    run() {
      throw new ToolError('This tool intentionally returns an error for testing')
    },
  }),
  tool({
    name: 'test_tool_with_progress',
    description: 'Works in three steps and reports each.',
    input: nothing,
    async run(_input, context) {
      for (const done of [0, 50, 100]) {
        context.progress(done, 100)
        await sleep(50)
      }
      return 'Did all three steps.'
    },
  }),
  tool({
    name: 'test_tool_with_logging',
    description: 'Works in three steps and logs each.',
    input: nothing,
    async run(_input, context) {
      for (const step of ['execution started', 'processing data', 'execution completed']) {
        context.log('info', `Tool ${step}`)
        await sleep(50)
      }
      return 'Logged three messages.'
    },
  }),
  tool({
    name: 'test_logging_tool',
    description: 'Logs one message of every severity it uses.',
    input: nothing,
    run(_input, context) {
      context.log('debug', 'Looked', 'test_logging_tool')
      context.log('error', { message: 'Found nothing' }, 'test_logging_tool')
      return 'Logged the requested messages.'
    },
  }),
  tool({
    name: 'json_schema_2020_12_tool',
    description: 'Takes a person who can be reached by phone or by mail.',
    // Written by hand, with keywords that zod does not produce. Clients get it unchanged.
    input: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['phone'] }, // oxlint-disable-line unicorn/no-thenable
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: (person) => person,
  }),
  tool({
    name: 'test_x_mcp_header',
    description: 'Takes a region that proxies can read from the header Mcp-Param-Region.',
    input: z.object({
      region: z.string().optional().meta({ 'x-mcp-header': 'Region' }),
      level: z.int().optional(),
    }),
    run: ({ region = 'none', level = 0 }) => `Region ${region}, level ${level}`,
  }),
  tool({
    name: 'test_reconnection',
    description: 'Closes the connection halfway; the client reconnects for the answer.',
    input: nothing,
    async run(_input, { disconnect }) {
      disconnect()
      await sleep(100)
      return 'The answer came after the connection was closed.'
    },
  }),
  tool({
    name: 'count',
    description: 'Counts its calls, from 1 or from the call that returned this handle.',
    input: z.object({ handle: z.string().optional() }),
    async run({ handle }, context) {
      const store = await context.store(handle)
      const count = Number((await store.get('count')) ?? 0) + 1
      await store.put('count', count)
      return { handle: store.handle, count }
    },
  }),
]
