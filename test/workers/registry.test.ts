// What workerd makes of a key and of a URL has to be what Node makes of them.
import '../registry/credential-keys.test.ts'
import '../registry/public-hosts.test.ts'
