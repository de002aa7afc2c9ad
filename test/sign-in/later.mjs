// Sets a Node program's clock two hours ahead, so that an access token for one hour has expired.
const LATER_MS = 2 * 3_600_000
const { now } = Date
Date.now = () => now() + LATER_MS
globalThis.Date = new Proxy(Date, {
  construct: (target, args, made) =>
    Reflect.construct(target, args.length > 0 ? args : [Date.now()], made),
})
