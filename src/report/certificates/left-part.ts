import { html, type Content, type Html } from '../html';
import { commandPart, tablePart } from '../parts';
import { maskTextOfPeople } from '../../protection/redaction';
import { actionFor, batchCommandLine, resolveCommandLine, type StatusLeft } from './next-steps';
import { looks, type Page } from './page';
import type { LeftGroup, LeftRow } from './report-figures';

/** Rows that need attention, by status, each with its next step. Null when there is none. */
export function leftPart(page: Page): Html | null {
  const { texts, figures } = page;
  if (figures.left.length === 0) return null;
  const intro = figures.left.some(({ advised }) => [...advised].some((one) => actionFor(one)));
  return html`<section class="card">
    <h2>${texts.left}</h2>
    ${intro ? html`<p class="muted">${texts.leftIntro}</p>` : null}
    ${figures.left.map((group) => leftGroup(group, page))}
  </section>`;
}

function leftGroup(group: LeftGroup, page: Page): Html {
  const { texts, formats } = page;
  const { status, count, rows } = group;
  const more = count - rows.length;
  const ofRows = rows.some(({ advice }) => actionFor(advice) !== null || advice === 'nothing');
  return html`<div class="group">
    <div class="group-head">
      <h3>${texts.statuses[status]}</h3>
      <span class="badge ${looks[status]}">${formats.number(count)}</span>
    </div>
    <p>${texts.leftMeans[status]}</p>
    ${groupSteps(group, page)}
    ${tablePart(
      [
        { name: texts.line, look: 'line' },
        { name: texts.subject, look: 'wide' },
        { name: texts.happened },
        ...(ofRows ? [{ name: texts.next }] : []),
      ],
      rows.map((row) => leftRow(row, page)),
    )}
    ${more > 0 ? html`<p class="muted">${texts.more(formats.number(more))}</p>` : null}
  </div>`;
}

/** Next steps common to all rows of a status. */
function groupSteps({ status, advised }: LeftGroup, page: Page): Html | null {
  const { texts, summary, record } = page;
  const line = (
    action: 'watch' | 'reissue' | 'abandon' | 'adopt',
    rows: StatusLeft | 'N',
  ): Html => {
    const which = rows === 'N' ? { line: 'N' } : { status: rows };
    return commandPart(resolveCommandLine(summary.batchId, which, action, texts.notePlaceholder));
  };
  if (status === 'unknown_outcome') {
    const words = texts.unknownSteps;
    return html`<ol>
      <li>${words.watch}${line('watch', status)}</li>
      <li>${words.adopt}${line('adopt', 'N')}</li>
      <li>${words.reissue}${line('reissue', status)}</li>
      <li>${words.abandon}${line('abandon', status)}</li>
    </ol>`;
  }
  if (status === 'invalid') {
    const input = maskTextOfPeople(record.inputName ?? '');
    return input === '' ? null : commandPart(batchCommandLine(input, record.type));
  }
  // Rows with a final failure are not requested again in bulk.
  if (advised.has('ask_again_in_doubt')) return null;
  const actions = new Set([...advised].map(actionFor));
  const [action] = actions;
  if (actions.size !== 1 || action == null) return null;
  return html`<p class="small muted">${texts.all}</p>
    ${line(action, status)}`;
}

function leftRow(row: LeftRow, { texts, formats, summary }: Page): Content[] {
  const { line, document, type, reference, certidaoId, requestedAt, advice } = row;
  const reported = { code: row.errorCode, category: row.errorCategory, message: row.errorMessage };
  const facts = [
    row.errorCode,
    row.note === '' ? null : texts.note(row.note),
    requestedAt === null ? null : `${texts.requestedAt} ${formats.instant(requestedAt)}`,
    certidaoId === null ? null : `${texts.certidaoId} ${certidaoId}`,
  ].filter((fact) => fact !== null);
  const named = [type, reference === '' ? '' : `${texts.reference} ${reference}`];
  const small = (words: readonly string[]): Html =>
    html`<span class="small muted block">${words.filter((one) => one !== '').join(' · ')}</span>`;
  const action = actionFor(advice);
  return [
    line,
    [html`<span class="number">${document}</span>`, small(named)],
    [texts.message(reported), small(facts)],
    [
      texts.advice[advice],
      action === null
        ? null
        : commandPart(resolveCommandLine(summary.batchId, { line }, action, texts.notePlaceholder)),
    ],
  ];
}
