/** Readable on a telephone and on paper; colours follow the reader's light or dark mode. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f8; --card: #ffffff; --ink: #1b2430; --muted: #5c6773; --line: #dfe3e8;
  --good: #1d7a5f; --accent: #3563a8; --quiet: #98a3af;
  --warn: #a86400; --bad: #b3362b; --code: #f3f4f6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14181d; --card: #1c2229; --ink: #e6eaee; --muted: #9ea9b5; --line: #323b45;
    --good: #4fb896; --accent: #7fa8e6; --quiet: #6b7682;
    --warn: #e0a346; --bad: #ee8378; --code: #262d36;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  -webkit-text-size-adjust: 100%;
}
main { max-width: 1160px; margin: 0 auto; padding: 40px 24px 56px; }
header { margin-bottom: 28px; }
.kicker { color: var(--muted); font-size: 14px; margin: 0 0 4px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 8px; font-weight: 650; letter-spacing: -0.01em; overflow-wrap: anywhere; }
.headline { font-size: 18px; margin: 0; }
h2 { font-size: 19px; line-height: 1.3; margin: 0 0 12px; font-weight: 620; }
h3 { font-size: 16px; line-height: 1.3; margin: 0; font-weight: 620; }
p { margin: 0 0 10px; }
section, .tiles { margin-bottom: 20px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 22px 24px; }
.muted, .card .muted { color: var(--muted); }
.small { font-size: 14px; }
.number { font-variant-numeric: tabular-nums; }
.tiles { display: grid; gap: 12px; grid-template-columns: repeat(6, 1fr); }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.tile dt { color: var(--muted); font-size: 14px; line-height: 1.3; min-height: 2.6em; }
.tile dd { margin: 0; }
.tile .value { font-size: 26px; line-height: 1.25; font-weight: 620; font-variant-numeric: tabular-nums; }
.tile .value.words { font-size: 18px; line-height: 1.805; }
.tile .value.long { font-size: 14px; line-height: 1.4; padding: 6px 0; } .tile .value { overflow-wrap: anywhere; }
.tile .small { color: var(--muted); font-size: 13px; line-height: 1.35; }
.tile.warn .value { color: var(--warn); }
.tile.good .value { color: var(--good); }
.pair { display: grid; gap: 20px; grid-template-columns: repeat(2, minmax(0, 1fr)); margin-bottom: 20px; }
/* Fonts differ in width: what a drawing did not reckon with is shown all the same. */
.chart { display: block; width: 100%; height: auto; margin: 6px 0 10px; } .chart:not(.map) { overflow: visible; }
.chart.narrow { display: none; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 500; color: var(--muted); font-size: 14px; padding: 0 12px 6px 0; border-bottom: 1px solid var(--line); }
td { vertical-align: top; padding: 9px 12px 9px 0; border-bottom: 1px solid var(--line); }
tr:last-child > td { border-bottom: 0; }
th:last-child, td:last-child { padding-right: 0; }
.right { text-align: right; }
.bar { display: block; height: 10px; margin-top: 8px; border-radius: 2px; background: var(--quiet); min-width: 2px; }
.bar.good { background: var(--good); } .bar.warn { background: var(--warn); } .bar.bad { background: var(--bad); }
code, .command { overflow-wrap: anywhere; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; font-size: 13px; }
.command {
  display: block; background: var(--code); border-radius: 6px; padding: 7px 10px; margin: 4px 0 2px;
  line-height: 1.45; white-space: pre-wrap; user-select: all;
}
.after { margin: 22px 0 6px; overflow-wrap: anywhere; }
table + .muted { margin-top: 8px; }
.fact { display: inline-block; margin: 0 16px 2px 0; overflow-wrap: anywhere; }
.notice { border-left: 4px solid var(--warn); padding-left: 12px; }
.graph-box { overflow-x: auto; }
.graph { display: block; max-width: none; height: auto; }
.graph rect { fill: var(--card); stroke: var(--quiet); stroke-width: 1.5; }
.graph .good rect { stroke: var(--good); } .graph .warn rect { stroke: var(--warn); }
.graph .bad rect { stroke: var(--bad); } .graph .quiet rect { stroke-dasharray: 4 3; }
.graph .root rect { fill: var(--code); stroke: var(--line); }
.graph text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.graph .first { font-weight: 620; } .graph .second { fill: var(--muted); font-size: 12px; }
.graph .arrow { fill: none; stroke: var(--quiet); stroke-width: 1.3; } .graph .head { fill: var(--quiet); }
.badge { font-size: 14px; font-weight: 620; color: var(--muted); font-variant-numeric: tabular-nums; }
.badge.good { color: var(--good); } .badge.warn { color: var(--warn); } .badge.bad { color: var(--bad); }
ol { margin: 8px 0 14px; padding-left: 22px; } ul { margin: 0; padding-left: 20px; } li { margin-bottom: 8px; }
.rows { table-layout: fixed; margin-top: 14px; }
.flag { white-space: nowrap; }
.rows th.line-cell { width: 64px; }
.rows td { font-size: 14.5px; overflow-wrap: anywhere; }
dl.details { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 24px; margin: 0; }
dl.details dt { color: var(--muted); } dl.details dd { margin: 0; overflow-wrap: anywhere; }
.block { display: block; }
a { color: var(--accent); overflow-wrap: anywhere; }
.rows th.wide { width: 27%; }
.rows tfoot td { font-weight: 620; border-top: 1px solid var(--line); border-bottom: 0; }
.rows td.right { white-space: nowrap; }
.rows :is(th, td).right + :is(th, td):not(.right) { padding-left: 16px; }
.face { fill: none; stroke: #ffd400; } .face-number { fill: #ffd400; font-weight: 700; stroke: #000; paint-order: stroke; }
.picture { display: block; max-width: 100%; max-height: 640px; margin: 0 auto 10px; border-radius: 6px; }
footer { color: var(--muted); font-size: 14px; margin-top: 24px; }
@media screen and (max-width: 1000px) { .tiles { grid-template-columns: repeat(3, 1fr); } }
@media screen and (max-width: 760px) {
  main { padding: 24px 14px 40px; }
  h1 { font-size: 24px; } .headline { font-size: 17px; }
  .card { padding: 18px 16px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; }
  .tile dt { min-height: 0; }
  .pair { grid-template-columns: minmax(0, 1fr); }
  .rows, .rows tbody, .rows tr, .rows td { display: block; width: auto; }
  .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .rows tr { border-bottom: 1px solid var(--line); padding: 12px 0; }
  .rows tr:last-child { border-bottom: 0; }
  .rows td { border: 0; padding: 2px 0; }
  .rows :is(th, td).right + td:not(.right) { padding-left: 0; }
  .rows td.empty { display: none; } .rows td.right { text-align: left; white-space: normal; }
  .rows tfoot, .rows tfoot tr { display: block; } .rows tfoot td { border: 0; }
  .rows td::before { content: attr(data-label); display: block; color: var(--muted); font-size: 13px; }
  .rows td.line-cell::before { display: inline; font-size: inherit; margin-right: 6px; }
  .rows td.line-cell { width: auto; font-weight: 620; }
  dl.details { display: block; } dl.details dt { font-size: 14px; margin-top: 8px; }
}
@media screen and (max-width: 480px) { .chart.wide { display: none; } .chart.narrow { display: block; } }
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --card: #fff; --ink: #000; --muted: #444; --line: #bbb; --code: #f3f4f6;
    --good: #1d7a5f; --accent: #3563a8; --quiet: #98a3af; --warn: #8a5200; --bad: #b3362b;
  }
  body { font-size: 13px; } main { max-width: none; padding: 0 1px; }
  h1 { font-size: 24px; } h2 { font-size: 16px; } h3 { font-size: 14px; } .headline { font-size: 15px; }
  .small, .kicker, .tile dt, .rows td, th, footer, .badge { font-size: 12px; }
  .rows { table-layout: auto; } .rows td, .rows th, .rows .small { font-size: 11px; } .rows :is(td, th) { padding-right: 8px; }
  .rows th.line-cell { width: 44px; }
  code, .command { font-size: 11px; }
  .card, .tile { padding: 12px 14px; border-radius: 4px; }
  .tiles { grid-template-columns: repeat(3, 1fr); } .tile dt { min-height: 0; }
  .tile .value { font-size: 20px; } .tile .value.words { font-size: 16px; line-height: 1.55; }
  .pair .chart.wide { display: none; } .pair .chart.narrow { display: block; }
  .picture { max-height: 120mm; }
  td { padding-top: 4px; padding-bottom: 4px; }
  .graph { max-width: 100%; }
  .fact { font-size: 12px; } a { color: inherit; text-decoration: none; }
  .tile, tr, li { break-inside: avoid; } h2, h3 { break-after: avoid; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
@page { margin: 14mm; }
`;
