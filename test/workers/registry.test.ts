// workerd has to treat keys and URLs exactly as Node does.
import '../registry/credential-keys.test.ts'
import '../registry/public-hosts.test.ts'
