import { expect, test, vi } from 'vitest'

vi.mock('../../src/console/console.css', () => ({ default: '' }))

/** Runs the page script with one button, which copies `the URL`. */
async function pressed(navigator: object): Promise<string> {
  const { asset } = await import('../../src/console/assets.ts')
  const script = await asset('/assets/copy.js')!.text()
  let press = async (_: object) => {}
  const button = { dataset: { copy: 'url' }, textContent: 'Copy', closest: () => button }
  const document = {
    addEventListener(_: string, listener: (event: object) => Promise<void>) {
      press = listener
    },
    getElementById: () => ({ textContent: 'the URL' }),
  }
  new Function('document', 'navigator', 'setTimeout', script)(document, navigator, () => {})
  await press({ target: button })
  return button.textContent
}

test('a copy button says that it copied its text, or that a person must select it', async () => {
  const copied: string[] = []
  const clipboard = { writeText: async (text: string) => void copied.push(text) }
  expect([await pressed({ clipboard }), copied]).toEqual(['Copied', ['the URL']])
  expect(await pressed({ clipboard: { writeText: () => Promise.reject() } })).toBe('Select it')
})

test('over plain http, where there is no clipboard, a person must select the text', async () => {
  expect(await pressed({})).toBe('Select it')
})
