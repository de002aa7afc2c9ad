/** The parts of published clients' metadata documents (CIMD) that a server reads. */
export const documents: Readonly<Record<string, object>> = Object.fromEntries(
  [
    {
      client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
      client_name: 'Claude Code',
      client_uri: 'https://claude.ai',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    },
    {
      client_id: 'https://chatgpt.com/oauth/codex/client.json',
      client_name: 'Codex',
      client_uri: 'https://openai.com/codex',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
    },
    {
      client_id: 'https://github.com/copilot/cli/client-metadata.json',
      client_name: 'GitHub Copilot CLI',
      client_uri: 'https://github.com/features/copilot',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
    },
    {
      client_id: 'https://client.example/metadata.json',
      client_name: 'A client of the tests',
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1/oauth/callback'],
    },
  ].map((it) => [
    it.client_id,
    {
      ...it,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  ]),
)
