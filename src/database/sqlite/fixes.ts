import type { EngineFixes } from '../fix.ts'

export const fixes: EngineFixes = {
  login({ scheme }) {
    if (scheme === 'd1') {
      return {
        sentence:
          'Cloudflare refuses the token. It was revoked, belongs to another account, or cannot read D1.',
        steps: [
          {
            message:
              'Make an account token with only the permission D1: Read, in the dashboard under Manage account, Account API tokens.',
          },
        ],
      }
    }
    if (scheme !== 'libsql' && scheme !== 'turso') return { steps: [] }
    return {
      sentence:
        'The server refuses the token. It has expired, was revoked, or is for another database.',
      steps: [
        {
          message: 'Make another token, and put it after the host as ?authToken=TOKEN.',
          command: 'turso db tokens create NAME --read-only',
          replace: ['NAME'],
        },
      ],
    }
  },
  database: ({ scheme }) =>
    scheme === 'd1'
      ? {
          sentence: 'The account has no D1 database with this ID.',
          steps: [
            {
              message: 'Look up its ID, and write it into the URL: d1://:TOKEN@ACCOUNT/DATABASE.',
              command: 'npx wrangler d1 list',
            },
          ],
        }
      : undefined,
}
