// The URL itself, as hosts interpret it before they send anything.
import type { Examination } from './examination.ts'
import { HOSTED } from './hosts.ts'
import { holdsKey, secretsOf } from './mask.ts'

/** Checks the form of the URL. */
export function checkAddress({ url, pasted, report, reach }: Examination): void {
  const { protocol, port, pathname, origin } = url
  if (protocol === 'http:' && reach !== 'loopback') {
    report.problem('url-https', {
      seen: 'The URL begins with http://, so everyone on the network could read keys and tokens.',
      fix: 'Serve it over https, and paste the https:// URL.',
    })
  }
  if (port && reach === 'public') {
    report.problem('url-port', {
      hosts: HOSTED,
      seen: `The URL has the port ${port}, and Claude and ChatGPT connect to port 443 only.`,
      fix: 'Serve it on port 443, and leave the port out of the URL.',
    })
  }
  if (pathname === '/') {
    report.note('url-path', {
      seen: 'The URL has no path, but most servers have their endpoint at /mcp.',
      fix: `If a check below fails, try ${origin}/mcp.`,
    })
  } else if (/\/sse\/?$/.test(pathname)) {
    report.note('url-path', {
      seen: 'The URL ends in /sse, like URLs for the old transport, which hosts are dropping.',
      fix: `Try ${origin}${pathname.replace(/\/sse\/?$/, '/mcp')}.`,
    })
  } else if (pathname.endsWith('/')) {
    report.note('url-path', {
      seen: 'The URL ends in a slash. To a host, the URL without the slash is a different URL.',
      fix: `Paste ${origin}${pathname.slice(0, -1)}, unless the server itself says otherwise.`,
    })
  }
  const isOrigin = pathname === '/' && !url.search
  if (pasted !== url.href && !(isOrigin && pasted === origin)) {
    report.note('url-form', {
      seen: `Hosts write this URL as ${report.quoted(isOrigin ? origin : url.href)}.`,
      fix: 'Paste it in that form, because some hosts compare it character by character.',
    })
  }
  if (holdsKey(url) || secretsOf(url).length > 0) {
    report.note('url-secret', {
      seen: 'The URL seems to hold a secret. This report leaves it out.',
      fix: "It is in your shell's history now. If other people use this machine, make a new key and remove this one.",
    })
  }
  if (report.findings.length === 0) report.ok('url', 'The URL is in a form that hosts accept.')
}

/** Checks that hosts on the internet can reach the server. */
export function checkReach({ report, reach }: Examination): void {
  if (reach === 'public') return
  const where = reach === 'loopback' ? 'on this machine' : 'on a private network'
  report.note('reach', {
    hosts: HOSTED,
    stops: HOSTED,
    seen: `The URL is ${where}, where Claude and ChatGPT cannot reach it.`,
    fix: 'To use it there, deploy it. Hosts on this machine can use it as it is.',
  })
}
