import type { Child } from 'hono/jsx'
import type { Snippet } from '../snippets.ts'
import { Copy } from './copy.tsx'

/** One tab of several, and what it shows. */
interface Tab {
  readonly label: string
  readonly isChosen: boolean
  readonly children: Child
}

/** Tabs. They are radio buttons, so they work without script. */
export const Tabs = ({
  legend,
  name,
  tabs,
}: {
  /** What is chosen, for a screen reader. */
  readonly legend: string
  /** Unlike those of all other tabs on the page. */
  readonly name: string
  readonly tabs: readonly Tab[]
}) => (
  <fieldset class="tabs">
    <legend class="hidden">{legend}</legend>
    {tabs.map(({ label, isChosen, children }, i) => (
      <>
        <input type="radio" name={name} id={`${name}-${i}`} checked={isChosen} />
        <label for={`${name}-${i}`}>{label}</label>
        <div class="tab">{children}</div>
      </>
    ))}
  </fieldset>
)

/** A tab for each app. */
export const HostTabs = ({ snippets }: { readonly snippets: readonly Snippet[] }) => (
  <Tabs
    legend="Your app"
    name="host"
    tabs={snippets.map((snippet, i) => ({
      label: snippet.host,
      isChosen: i === 0,
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
        {link && (
          <a class="button" href={link.href}>
            {link.text}
          </a>
        )}
        {after && <span class="small dim">{after}</span>}
      </div>
    )}
  </>
)
