import type { Snippet } from '../snippets.ts'
import { Copy } from './copy.tsx'

/** A tab for each app. They are radio buttons, so they work without script. */
export const HostTabs = ({ snippets }: { readonly snippets: readonly Snippet[] }) => (
  <fieldset class="tabs">
    <legend class="hidden">Your app</legend>
    {snippets.map(({ host, lead, what, text, link, after }, i) => (
      <>
        <input type="radio" name="host" id={`host-${i}`} checked={i === 0} />
        <label for={`host-${i}`}>{host}</label>
        <div class="tab">
          <p>{lead}</p>
          <Copy id={`snippet-${i}`} what={what}>
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
        </div>
      </>
    ))}
  </fieldset>
)
