/** Loads a Worker from the modules in the request: a new one for each id. */
export default {
  async fetch(request, { LOADER }) {
    const { id, main, needs, libraries } = await request.json()
    const modules = { 'main.js': main }
    for (const name of needs) modules[name] = { js: libraries[name] }
    const code = { compatibilityDate: '2026-10-30', mainModule: 'main.js', modules }
    const answer = await LOADER.get(id, () => code)
      .getEntrypoint()
      .fetch('https://x/')
    return new Response(await answer.text())
  },
}
