/** In addition to the common style. */
export const ownStyle = `
.block { display: block; }
.after { margin: 20px 0 6px; }
h4, .list > h3 { font-size: 15px; margin: 18px 0 4px; font-weight: 620; overflow-wrap: anywhere; }
.fact { display: inline-block; margin: 0 16px 2px 0; overflow-wrap: anywhere; }
.group > .notice { margin-top: 8px; }
.notice { border-left: 4px solid var(--warn); padding-left: 12px; }
.badge.good { color: var(--good); }
a { color: var(--accent); } th { overflow-wrap: anywhere; } .file { overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; } .sum { display: block; color: var(--muted); }
.rows tfoot td { font-weight: 620; border-top: 1px solid var(--line); border-bottom: 0; }
/* Fonts differ in width: what the drawing did not reckon with is shown all the same. */
.chart { overflow: visible; }
table + .muted { margin-top: 8px; }
ul { margin: 0; padding-left: 20px; }
.graph-box { overflow-x: auto; }
.graph { display: block; max-width: none; height: auto; }
.graph rect { fill: var(--card); stroke: var(--quiet); stroke-width: 1.5; }
.graph .good rect { stroke: var(--good); } .graph .warn rect { stroke: var(--warn); }
.graph .bad rect { stroke: var(--bad); } .graph .quiet rect { stroke-dasharray: 4 3; }
.graph .root rect { fill: var(--code); stroke: var(--line); }
.graph text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.graph .first { font-weight: 620; } .graph .second { fill: var(--muted); font-size: 12px; }
.graph .arrow { fill: none; stroke: var(--quiet); stroke-width: 1.3; } .graph .head { fill: var(--quiet); }
@media screen and (max-width: 760px) {
  .rows td { display: grid; grid-template-columns: 104px minmax(0, 1fr); gap: 0 10px; }
  .rows td > * { grid-column: 2; } .rows td.right { text-align: left; }
  .rows td[data-label='']::before { content: none; } .rows td[data-label=''] { display: block; }
  .rows td.blank { display: none; }
  .rows tfoot, .rows tfoot tr { display: block; } .rows tfoot td { border: 0; }
}
@media print {
  .pair { gap: 12px; } .whole { break-inside: avoid; }
  .graph { max-width: 100%; } h4, .list > h3 { font-size: 13px; break-after: avoid; }
  .muted.small, .fact { font-size: 12px; } .rows { margin-top: 6px; }
  a { color: inherit; text-decoration: none; }
}
`;
