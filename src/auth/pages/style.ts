/** The style of the pages: the product's design tokens, and one panel in the center. */
export const STYLE = `
:root{color-scheme:light dark;--paper:#f4f7f7;--surface:#fff;--sunken:#edf2f2;--ink:#0f2024;--ink-2:#4a5c61;--line:#d5dfe0;--edge:#74868b;--tide:#0b6278;--tide-deep:#084b5d;--on-tide:#fff;--ok:#17693e;--low:#7b5000;--low-wash:#fbf1da;--bad:#a5261b;--bad-wash:#fcebe8;--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"Liberation Mono",monospace}
@media(prefers-color-scheme:dark){:root{--paper:#0b1316;--surface:#121c20;--sunken:#0d1619;--ink:#e3eced;--ink-2:#9eb2b7;--line:#24343a;--edge:#657d85;--tide:#70c8d8;--tide-deep:#9bdce7;--on-tide:#04212a;--ok:#7fd1a0;--low:#e8bd63;--low-wash:#262012;--bad:#f59b90;--bad-wash:#2b1a19}}
*,::before,::after{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 ui-sans-serif,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
h1,h2,p,ul,dl,dd,pre,fieldset{margin:0;padding:0}
h1,h2{line-height:1.25;font-weight:650;letter-spacing:-.011em}
h1{font-size:22px;text-wrap:balance}
h2{font-size:17px}
ul{list-style:none}
fieldset{border:0;min-width:0}
legend{padding:0;margin-bottom:8px}
code,pre{font-family:var(--mono);font-size:.9em;font-variant-ligatures:none}
pre{white-space:pre-wrap;padding:8px 12px;background:var(--sunken);border:1px solid var(--line);border-radius:5px;font-size:13px;user-select:all}
a{color:var(--tide);text-underline-offset:3px;text-decoration-thickness:1px}
a:hover{color:var(--tide-deep)}
:focus-visible{outline:2px solid var(--tide);outline-offset:2px;border-radius:3px}
header{background:var(--surface);border-bottom:1px solid var(--line)}
header>div{display:flex;flex-wrap:wrap;align-items:center;gap:4px 24px;max-width:1160px;min-height:52px;margin:0 auto;padding:8px 24px}
.brand{display:flex;align-items:center;gap:9px;font-weight:650;font-size:16px;letter-spacing:-.015em}
.brand svg{display:block}
.water{fill:var(--tide)}
.who{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;margin-left:auto;color:var(--ink-2);font-size:13.5px}
main{max-width:520px;margin:40px auto 64px;padding:0 16px;display:grid;gap:16px}
main>*,.panel>*,form>*{min-width:0}
.panel,.stack,form{display:grid;gap:16px}
.stack{gap:8px}
.who form{display:block}
.panel{background:var(--surface);border:1px solid var(--line);border-radius:5px;padding:24px}
.panel hr{width:100%;border:0;border-top:1px solid var(--line);margin:0}
.row{display:flex;flex-wrap:wrap;gap:8px 12px}
.small{font-size:13.5px}
.dim{color:var(--ink-2)}
.state{display:inline-flex;align-items:center;gap:6px;font-size:13.5px;font-weight:550}
.ok{color:var(--ok)}
.low{color:var(--low)}
.bad{color:var(--bad)}
.icon{width:16px;height:16px;flex:none;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:6px 24px;font-size:14px}
.facts dt{color:var(--ink-2)}
.note{display:grid;gap:8px;padding:12px 16px;border-left:3px solid var(--low);background:var(--low-wash);border-radius:0 5px 5px 0;font-size:14px}
.note.wrong{border-color:var(--bad);background:var(--bad-wash)}
button{display:inline-flex;align-items:center;justify-content:center;min-height:40px;max-width:100%;padding:4px 14px;background:var(--surface);border:1px solid var(--edge);border-radius:5px;color:var(--ink);font:inherit;font-size:14px;font-weight:550;cursor:pointer}
button:hover{background:var(--sunken)}
button.main{background:var(--tide);border-color:var(--tide);color:var(--on-tide)}
button.main:hover{background:var(--tide-deep);border-color:var(--tide-deep)}
button.little{min-height:28px;padding:0 10px;font-size:13px}
label{font-size:13.5px;font-weight:550}
.field{display:grid;gap:4px}
input{width:100%;min-height:40px;padding:6px 10px;background:var(--surface);border:1px solid var(--edge);border-radius:5px;color:inherit;font:inherit}
.tick{display:flex;align-items:flex-start;gap:10px;font-size:14px;line-height:20px;font-weight:400}
.tick input,.tick .icon{width:16px;height:16px;min-height:0;margin:2px 0 0;flex:none;accent-color:var(--tide)}
.tick b{font-weight:600}
.or{display:flex;align-items:center;gap:12px;color:var(--ink-2);font-size:13.5px}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
details>summary{cursor:pointer;width:fit-content}
details[open]>summary{margin-bottom:8px}
.hidden{position:absolute;width:1px;height:1px;min-height:0;padding:0;overflow:hidden;clip-path:inset(50%);border:0}
@media(max-width:640px){header>div{padding:8px 16px}main{margin-top:24px}.panel{padding:16px}.facts{gap:6px 16px}}
@media(max-width:400px){.facts{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:6px}}
`
