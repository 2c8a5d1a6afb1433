/** CSS of the operator's page: light and dark; tables become cards on a narrow screen. */
export const STYLE = `
:root { color-scheme: light dark; --ground: #f5f6f8; --card: #fff; --ink: #1b2230; --soft: #5c6675; --line: #e1e5eb;
  --accent: #2f5bd0; --good: #0d6b43; --good-ground: #e2f4ea; --bad: #a3261d; --bad-ground: #fbe7e5;
  --wait: #7a5200; --wait-ground: #fbf0d9; }
@media (prefers-color-scheme: dark) { :root { --ground: #11141a; --card: #191e27; --ink: #e7eaf0; --soft: #9aa5b5;
  --line: #2a313d; --accent: #8fb0ff; --good: #7fdcae; --good-ground: #123626; --bad: #ff9d94; --bad-ground: #451a17;
  --wait: #f2c879; --wait-ground: #3b2c0d; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header, main { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
h1 { margin: 0; font-size: 1.7rem; letter-spacing: -.01em; }
header p { margin: .2rem 0 1rem; color: var(--soft); max-width: 46rem; }
nav { display: flex; flex-wrap: wrap; gap: .5rem; }
nav a { color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 99px;
  padding: .25rem .8rem; text-decoration: none; }
nav a:hover { border-color: var(--accent); color: var(--accent); }
nav b { color: var(--soft); font-weight: 500; }
a:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; margin: 1.25rem 0;
  padding: 1rem 1.25rem; }
h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
.count { color: var(--soft); font-weight: 400; }
.empty { color: var(--soft); margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-size: .78rem; font-weight: 600; color: var(--soft); padding: .3rem .9rem .3rem 0;
  white-space: nowrap; }
td { border-top: 1px solid var(--line); padding: .5rem .9rem .5rem 0; vertical-align: top; overflow-wrap: break-word; }
td:last-child, th:last-child { padding-right: 0; }
strong { font-weight: 600; }
small { display: block; color: var(--soft); font-size: .85rem; }
code { font: .83rem/1.5 ui-monospace, monospace; white-space: nowrap; }
.state { border-radius: 99px; padding: .1rem .6rem; font-size: .82rem; background: var(--wait-ground);
  color: var(--wait); white-space: nowrap; }
.state.success { background: var(--good-ground); color: var(--good); }
.state.fail { background: var(--bad-ground); color: var(--bad); }
@media (max-width: 46rem) {
  header, main { padding-left: .9rem; padding-right: .9rem; }
  .scroll { position: relative; }
  thead { position: absolute; top: 0; left: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { display: block; border-top: 1px solid var(--line); padding: .7rem 0; }
  tbody tr:first-child { border-top: 0; }
  td { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: 0 .6rem; border: 0; padding: .12rem 0;
    overflow-wrap: anywhere; }
  td > * { grid-column: 2; justify-self: start; }
  td::before { grid-column: 1; }
  td::before { content: attr(data-label); color: var(--soft); font-size: .82rem; }
  td:first-child { display: block; }
  td:first-child::before { content: none; }
  code { white-space: normal; }
}
`;
