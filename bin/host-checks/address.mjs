// The URL itself: what hosts make of it before they send anything.
import { lookup as lookUp } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { HOSTED } from './hosts.mjs'
import { holdsKey, secretsOf } from './mask.mjs'

/** Checks how the URL is written. */
export function checkAddress({ url, pasted, report, reach }) {
  const { protocol, port, pathname, origin } = url
  const noted = report.findings.length
  if (protocol === 'http:' && reach !== 'loopback') {
    report.problem('url-https', {
      seen: 'The URL begins with http://, so keys and tokens would cross the network for all to read.',
      mend: 'Serve it by https, and paste the https:// URL.',
    })
  }
  if (port && reach === 'public') {
    report.problem('url-port', {
      hosts: HOSTED,
      seen: `The URL has the port ${port}, and Claude and ChatGPT connect to port 443 only.`,
      mend: 'Serve it at port 443, and leave the port out of the URL.',
    })
  }
  if (pathname === '/') {
    report.note('url-path', {
      seen: 'The URL has no path: most servers have their endpoint at /mcp.',
      mend: `If a check below fails, try ${origin}/mcp.`,
    })
  } else if (/\/sse\/?$/.test(pathname)) {
    report.note('url-path', {
      seen: 'The URL ends in /sse, as those of the old transport do, which hosts give up.',
      mend: `Try ${origin}${pathname.replace(/\/sse\/?$/, '/mcp')}.`,
    })
  } else if (pathname.endsWith('/')) {
    report.note('url-path', {
      seen: 'The URL ends in a slash: to a host it is another one than without.',
      mend: `Paste ${origin}${pathname.slice(0, -1)}, unless the server itself says otherwise.`,
    })
  }
  const written = pathname === '/' && !url.search ? [url.href, origin] : [url.href]
  if (!written.includes(pasted)) {
    report.note('url-form', {
      seen: `Hosts write this URL as ${report.quoted(written.at(-1))}.`,
      mend: 'Paste it so: some compare it letter by letter.',
    })
  }
  if (holdsKey(url) || secretsOf(url).length > 0) {
    report.note('url-secret', {
      seen: 'The URL seems to hold a secret. It is left out of this report.',
      mend: 'It is in the history of your shell now. If others use this machine, make a new key and remove this one.',
    })
  }
  if (report.findings.length === noted) report.ok('url', 'The URL is one that hosts take.')
}

/** Checks whether hosts on the internet can find the server at all. */
export function checkReach({ report, reach }) {
  if (reach === 'public') return
  const where = reach === 'loopback' ? 'on this machine' : 'in a private network'
  report.note('reach', {
    hosts: HOSTED,
    stops: HOSTED,
    seen: `The URL is ${where}, where Claude and ChatGPT cannot reach it.`,
    mend: 'For those two, deploy it. Hosts on this machine do not mind.',
  })
}

/** Where a host is: on this machine (`loopback`), in a `private` network, or `public`. */
export async function reachOf(hostname, lookup = lookUp) {
  const name = hostname.replace(/^\[|\]$/g, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback'
  const found = isIP(name) ? [{ address: name }] : await lookup(name, { all: true }).catch(() => [])
  const kinds = found.map(({ address }) => kindOf(address))
  return ['public', 'private', 'loopback'].find((it) => kinds.includes(it)) ?? 'public'
}

/** Whether this is the name or address of a machine that the internet cannot reach, by its text alone. */
export function isInner(hostname) {
  const name = hostname.replace(/^\[|\]$/g, '')
  if (/(?:^|\.)(?:localhost|local|internal)$/.test(name)) return true
  return isIP(name) > 0 && kindOf(name) !== 'public'
}

function kindOf(address) {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (loopback.check(address, family)) return 'loopback'
  return inner.check(address, family) ? 'private' : 'public'
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

const inner = new BlockList()
inner.addSubnet('0.0.0.0', 8)
inner.addSubnet('10.0.0.0', 8)
inner.addSubnet('100.64.0.0', 10)
inner.addSubnet('169.254.0.0', 16)
inner.addSubnet('172.16.0.0', 12)
inner.addSubnet('192.168.0.0', 16)
inner.addSubnet('fc00::', 7, 'ipv6')
inner.addSubnet('fe80::', 10, 'ipv6')
