// An endpoint that is open: what a host does with it once it is in.
import { said } from './probe.mjs'
import { after, leave, messageIn, send } from './rpc.mjs'

/** Goes on after an `initialize` that was answered, up to the list of tools. */
export async function checkTools(visit, opened) {
  const headers = after(opened)
  await checkNotification(visit, headers)
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const answer = await send(visit, message, headers)
  const tools = messageIn(answer)?.result?.tools
  if (answer.status === 200 && Array.isArray(tools)) sayTools(visit, tools.filter(isObject))
  else {
    visit.report.problem('tools', {
      seen: `POST tools/list ${said(answer)}, without a list of tools.`,
      mend: 'Serve a call that sends back the Mcp-Session-Id of initialize, and one without it too.',
    })
  }
  await leave(visit, opened)
}

const isObject = (it) => typeof it === 'object' && it !== null

async function checkNotification({ report, ...visit }, headers) {
  const message = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const answer = await send(visit, message, headers)
  const seen = `The notification that follows ${said(answer)}`
  const { status, text, type } = answer
  if (status < 200 || status > 299) {
    return report.problem('notification', {
      seen: `${seen}.`,
      mend: 'Answer every notification with 202 and no body, with a session or without.',
    })
  }
  if (text || type) {
    const harmless = status !== 200
    return report[harmless ? 'note' : 'problem']('notification', {
      hosts: ['codex'],
      seen: `${seen} and a body or a Content-Type${harmless ? '' : ', with which Codex ends the connection'}.`,
      mend: 'Answer notifications with 202, no body and no Content-Type.',
    })
  }
  report.ok('notification', `${seen} and no body.`)
}

function sayTools({ report }, tools) {
  if (tools.length === 0) {
    return report.note('tools', {
      seen: 'The list of tools is empty: a host connects, and can do nothing.',
      mend: 'Set up what the server is for, then connect the hosts anew: many read the list once.',
    })
  }
  report.ok('tools', `The list has ${tools.length} tools.`)
  sayShapes(report, tools)
  const silent = tools.filter(
    ({ title, annotations: it }) => !(title ?? it?.title) || !isHinted(it),
  )
  if (silent.length > 0) {
    return report.note('annotations', {
      hosts: ['claude', 'chatgpt'],
      seen: `${silent.length} of ${tools.length} tools have no title, or neither readOnlyHint nor destructiveHint.`,
      mend: 'Give every tool both: ChatGPT takes a tool without a hint for one that writes.',
    })
  }
  report.ok('annotations', 'Every tool has a title, and says whether it reads or writes.')
}

const isHinted = (it) =>
  typeof it?.readOnlyHint === 'boolean' || typeof it?.destructiveHint === 'boolean'

/** Says which tools a host would leave out, or refuse the whole list for. */
function sayShapes(report, tools) {
  const wrong = tools.filter(({ name, inputSchema: it }) => {
    const isPlain = it?.type === 'object' && !(it.anyOf ?? it.oneOf ?? it.allOf ?? it.$ref)
    return !/^[a-zA-Z0-9_-]{1,64}$/.test(name) || !isPlain
  })
  if (wrong.length === 0)
    return report.ok('tool-shapes', 'Every tool has a name and a schema that all models take.')
  report.problem('tool-shapes', {
    stops: [],
    seen: `${wrong.length} of ${tools.length} tools have a name or an input schema that some models refuse.`,
    mend: 'A name has up to 64 letters, digits, _ and -. A schema is an object, and its root has no anyOf, oneOf, allOf or $ref.',
  })
}
