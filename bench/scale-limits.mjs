/** The pages that document the platform's limits for one object, as read in November 2026. */
const PAGES = {
  objects: 'https://developers.cloudflare.com/durable-objects/platform/limits/',
  workers: 'https://developers.cloudflare.com/workers/platform/limits/',
  state: 'https://developers.cloudflare.com/durable-objects/api/state/',
  prices: 'https://developers.cloudflare.com/durable-objects/platform/pricing/',
}

/** @type {readonly { what: string, is: string, most: number, page: string, note?: string }[]} */
export const limits = [
  {
    what: 'requests',
    is: 'requests per second to one object',
    most: 1_000,
    page: PAGES.objects,
    note: 'a soft limit: what comes above it waits, then fails as overloaded',
  },
  {
    what: 'subrequests',
    is: 'requests to objects in one invocation',
    most: 1_000,
    page: PAGES.workers,
    note: 'of the free plan; 10,000 of the paid one',
  },
  { what: 'sockets', is: 'WebSockets of one object', most: 32_768, page: PAGES.state },
  {
    what: 'valueBytes',
    is: 'bytes of one row',
    most: 2_000_000,
    page: PAGES.objects,
  },
]

/** Limits that are not counted here, because they only make something slower or more expensive. */
export const others = [
  `6 requests of an invocation wait for headers at once, the others queue (${PAGES.workers}, for fetch; requests to objects are not named there)`,
  `10 GB of one object, 30 s of processor time for one request (${PAGES.objects})`,
]

/** Dollars per million, beyond what a paid plan includes. */
export const prices = {
  requests: 0.15,
  rowsRead: 0.001,
  rowsWritten: 1,
  page: PAGES.prices,
}
