// What workerd makes of a key has to be what Node makes of it.
import '../registry/credential-keys.test.ts'
