import type { Child, FC } from 'hono/jsx'
import type { Snippet } from '../snippets.ts'
import { Copy } from './copy.tsx'
import { ButtonLink } from './form.tsx'

/** One tab and its content. */
interface Tab {
  readonly label: string
  readonly children: Child
}

/** Tabs made of radio buttons, so that they work without JavaScript. */
export const Tabs: FC<{
  /** Name of the choice, for a screen reader. */
  readonly legend: string
  /** Unique on the page. */
  readonly name: string
  readonly tabs: readonly Tab[]
  /** Index of the tab that is shown first. */
  readonly chosen?: number
}> = ({ legend, name, tabs, chosen = 0 }) => (
  <fieldset class="tabs">
    <legend class="hidden">{legend}</legend>
    {tabs.map(({ label, children }, i) => (
      <>
        <input type="radio" name={name} id={`${name}-${i}`} checked={i === chosen} />
        <label for={`${name}-${i}`}>{label}</label>
        <div class="tab">{children}</div>
      </>
    ))}
  </fieldset>
)

/** Instructions for each app, one per tab. */
export const HostTabs = ({ snippets }: { readonly snippets: readonly Snippet[] }) => (
  <Tabs
    legend="Your app"
    name="host"
    tabs={snippets.map((snippet, i) => ({
      label: snippet.host,
      children: <SnippetShown id={`snippet-${i}`} {...snippet} />,
    }))}
  />
)

const SnippetShown = ({ id, lead, what, text, link, after }: Snippet & { readonly id: string }) => (
  <>
    <p>{lead}</p>
    <Copy id={id} what={what}>
      {text}
    </Copy>
    {(link || after) && (
      <div class="row">
        {link && <ButtonLink href={link.href} text={link.text} />}
        {after && <span class="small dim">{after}</span>}
      </div>
    )}
  </>
)
