import { createHash } from "node:crypto";

/** The pages' only style sheet: the system's own fonts, its light or dark, from a watch's width up. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #f5f6f8; --card: #ffffff; --ink: #1b1f26; --soft: #596273; --line: #d9dde4; --field: #eef0f4;
  --accent: #14599c; --on-accent: #ffffff; --danger: #a4262c; --good: #1a6b3c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12151a; --card: #1b2028; --ink: #e8ebf0; --soft: #a3adbd; --line: #333b48; --field: #252c36;
    --accent: #7db7f0; --on-accent: #0d1a28; --danger: #ff9a96; --good: #82d3a0;
  }
}
* { box-sizing: border-box; }
body {
  overflow-wrap: anywhere; margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); display: flex; flex-direction: column;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", sans-serif;
}
header, footer { padding: 1rem 1.25rem; color: var(--soft); font-size: .875rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; border-bottom: 1px solid var(--line); background: var(--card); }
header form { margin: 0; }
main { flex: 1; width: 100%; max-width: 34rem; margin: 0 auto; padding: 1.5rem 1.25rem; }
main.wide { max-width: 64rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; text-wrap: balance; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
a { color: var(--accent); }
header a { color: var(--ink); text-decoration: none; font-weight: 700; font-size: 1rem; margin-right: auto; }
.soft { color: var(--soft); }
.card > :last-child, .card form > :last-child { margin-bottom: 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem; margin: 0 0 1.25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; }
code, .code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace; }
.code {
  display: block; text-align: center; font-size: 1.6rem; letter-spacing: .08em; padding: .75rem; margin: 0 0 .5rem;
  background: var(--field); border-radius: 8px; overflow-wrap: anywhere;
}
.secret { display: block; padding: .75rem; background: var(--field); border-radius: 8px; word-break: break-all; user-select: all; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; }
li code { white-space: nowrap; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0 0 1rem; }
button, input, select { font: inherit; color: inherit; }
button {
  padding: .6rem 1.25rem; min-height: 44px; border-radius: 8px; border: 1px solid var(--line); background: var(--card); cursor: pointer;
}
summary { cursor: pointer; }
.button { display: inline-block; list-style: none; border: 1px solid var(--line); border-radius: 8px; }
.button::-webkit-details-marker { display: none; }
.sure form { margin-top: .5rem; }
table + details { margin-top: 1rem; color: var(--soft); }
button:hover, .button:hover { border-color: var(--soft); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; flex: 1 1 10rem; }
.danger { color: var(--danger); }
.small { padding: .25rem .75rem; min-height: 32px; font-size: .875rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
label { display: block; margin: 0 0 1rem; }
input[type=text], input[type=password], select { display: block; margin-top: .25rem; width: 100%; padding: .6rem .75rem; min-height: 44px; border: 1px solid var(--line); border-radius: 8px; background: var(--field); }
details { margin: 0 0 1rem; }
summary { cursor: pointer; color: var(--soft); }
details[open] summary { margin-bottom: .75rem; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 500; font-size: .875rem; }
tr:last-child td { border-bottom: 0; }
td form { margin: 0; }
@media (min-width: 52.01rem) {
  /* What reads badly in two pieces; the name gives way. */
  td code, td[data-label=Made], td[data-label=Ends] { white-space: nowrap; overflow-wrap: normal; }
  td[data-label="End it"] { overflow-wrap: normal; }
  .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1.25rem; margin-bottom: 1.25rem; }
  .pair .card { margin: 0; }
  .pair + form { max-width: 34rem; }
}
@media (max-width: 52rem) {
  thead { display: none; }
  tr { display: block; padding: .75rem 0; border-bottom: 1px solid var(--line); }
  tbody tr:first-child { padding-top: 0; }
  tr:last-child { padding-bottom: 0; border-bottom: 0; }
  td { display: flex; gap: 1rem; padding: .15rem 0; border: 0; }
  td::before { content: attr(data-label); flex: 0 0 6.5rem; color: var(--soft); }
}
.warning { border-left: 4px solid var(--danger); }
.done { border-left: 4px solid var(--good); }
`;

/** As a Content-Security-Policy names it: no other style is applied. */
export const styleSource = `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
