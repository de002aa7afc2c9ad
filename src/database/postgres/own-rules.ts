import { never, only, type Rule, rules, taken } from './tcp-parameters.ts'

/** The parameters that mean more on a machine than in a Worker: what they name is read there. */
export const rulesHere: ReadonlyMap<string, Rule> = new Map([
  ...rules(taken, 'sslrootcert sslcert sslkey sslpassword sslcrl'),
  ...rules(taken, 'passfile service servicefile requirepeer'),
  [
    'sslcertmode',
    only(
      'disable allow',
      'asks to make sure that the server wants a certificate, which cannot be seen here. Write allow, or take it off.',
    ),
  ],
  [
    'ssl_min_protocol_version',
    only('TLSv1 TLSv1.1 TLSv1.2 TLSv1.3', 'must be TLSv1.2 or TLSv1.3: older ones are not spoken.'),
  ],
  [
    'ssl_max_protocol_version',
    only('TLSv1.2 TLSv1.3', 'must be TLSv1.2 or TLSv1.3: older ones are not spoken.'),
  ],
  ['channel_binding', only('disable prefer require')],
  ...rules(never('asks to write the keys of the connection down. Take it off.'), 'sslkeylogfile'),
])
