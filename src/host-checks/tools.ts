// Uses an open endpoint as a host does after it has connected.
import { isObject } from '../ground/index.ts'
import type { Examination } from './examination.ts'
import { fieldsOf, type JsonFields } from './json.ts'
import { type ProbeAnswer, said } from './probe.ts'
import type { Report } from './report.ts'
import { after, leave, messageIn, send } from './rpc.ts'

/** Continues after a successful `initialize`, up to the list of tools. */
export async function checkTools(exam: Examination, opened: ProbeAnswer) {
  const headers = after(opened)
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
  sayNotified(exam.report, await send(exam, notification, headers))
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const answer = await send(exam, message, headers)
  const { tools } = fieldsOf(messageIn(answer)?.result)
  if (answer.status === 200 && Array.isArray(tools)) sayTools(exam.report, tools.filter(isObject))
  else {
    exam.report.problem('tools', {
      seen: `POST tools/list ${said(answer)}, without a list of tools.`,
      fix: 'Serve calls that send back the Mcp-Session-Id from initialize, and calls without one.',
    })
  }
  await leave(exam, opened)
}

function sayNotified(report: Report, answer: ProbeAnswer) {
  const seen = `POST notifications/initialized ${said(answer)}`
  const { status, text, type } = answer
  if (status < 200 || status > 299) {
    return report.problem('notification', {
      seen: `${seen}.`,
      fix: 'Respond to every notification with 202 and no body, with or without a session.',
    })
  }
  if (!text && !type) return report.ok('notification', `${seen}, without a body.`)
  const isHarmless = status !== 200
  report[isHarmless ? 'note' : 'problem']('notification', {
    hosts: ['codex'],
    seen: `${seen}, with a body or a Content-Type${isHarmless ? '' : ': Codex then closes the connection'}.`,
    fix: 'Respond to notifications with 202, no body and no Content-Type.',
  })
}

function sayTools(report: Report, tools: readonly JsonFields[]) {
  if (tools.length === 0) {
    return report.note('tools', {
      seen: 'The list of tools is empty: a host connects, but can do nothing.',
      fix: 'Set up the tools, then connect the hosts again: many read the list only once.',
    })
  }
  report.ok('tools', `The list has ${tools.length === 1 ? '1 tool' : `${tools.length} tools`}.`)
  sayShapes(report, tools)
  const unclear = tools.filter(({ title, annotations }) => {
    const { title: other, readOnlyHint, destructiveHint } = fieldsOf(annotations)
    const isHinted = [readOnlyHint, destructiveHint].some((it) => typeof it === 'boolean')
    return !(title ?? other) || !isHinted
  })
  report.check('annotations', unclear.length === 0, {
    ok: 'Every tool has a title, and says whether it reads or writes.',
    state: 'note',
    hosts: ['claude', 'chatgpt'],
    seen: `${unclear.length} of ${tools.length} tools have no title, or neither readOnlyHint nor destructiveHint.`,
    fix: 'Give every tool a title and a hint: ChatGPT assumes that a tool without a hint writes.',
  })
}

/** Reports the tools that a host would leave out, or for which it would reject the whole list. */
function sayShapes(report: Report, tools: readonly JsonFields[]) {
  const wrong = tools.filter(({ name, inputSchema }) => {
    const { type, anyOf, oneOf, allOf, $ref } = fieldsOf(inputSchema)
    const isPlain = type === 'object' && !(anyOf ?? oneOf ?? allOf ?? $ref)
    return typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name) || !isPlain
  })
  report.check('tool-shapes', wrong.length === 0, {
    ok: 'Every tool has a name and a schema that all models accept.',
    stops: [],
    seen: `${wrong.length} of ${tools.length} tools have a name or an input schema that some models reject.`,
    fix: 'A name has up to 64 letters, digits, _ and -. A schema is an object, and its root has no anyOf, oneOf, allOf or $ref.',
  })
}
