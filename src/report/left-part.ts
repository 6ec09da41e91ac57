import { html, type Html } from './html';
import { maskTextOfPeople } from '../protection/redaction';
import { actionFor, batchCommandLine, resolveCommandLine, type StatusLeft } from './next-steps';
import { looks, type Page } from './page';
import type { LeftGroup, LeftRow } from './report-figures';

/** The rows that need a person, by status, each with its next step. Null when there is none. */
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
    <table class="rows">
      <thead>
        <tr>
          <th scope="col" class="line-cell">${texts.line}</th>
          <th scope="col" class="subject-cell">${texts.subject}</th>
          <th scope="col">${texts.happened}</th>
          ${ofRows ? html`<th scope="col">${texts.next}</th>` : null}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => leftRow(row, ofRows, page))}
      </tbody>
    </table>
    ${more > 0 ? html`<p class="muted">${texts.more(formats.number(more))}</p>` : null}
  </div>`;
}

/** What can be said to all rows of a status at once. */
function groupSteps({ status, advised }: LeftGroup, page: Page): Html | null {
  const { texts, summary, record } = page;
  const line = (
    action: 'watch' | 'reissue' | 'abandon' | 'adopt',
    rows: StatusLeft | 'N',
  ): Html => {
    const which = rows === 'N' ? { line: 'N' } : { status: rows };
    return command(resolveCommandLine(summary.batchId, which, action, texts.notePlaceholder));
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
    return input === '' ? null : command(batchCommandLine(input, record.type));
  }
  // What the service calls final is not asked for again by the dozen.
  if (advised.has('ask_again_in_doubt')) return null;
  const actions = new Set([...advised].map(actionFor));
  const [action] = actions;
  if (actions.size !== 1 || action == null) return null;
  return html`<p class="small muted">${texts.all}</p>
    ${line(action, status)}`;
}

function leftRow(row: LeftRow, withNext: boolean, { texts, formats, summary }: Page): Html {
  const { line, document, type, reference, certidaoId, requestedAt, advice } = row;
  const told = { code: row.errorCode, category: row.errorCategory, message: row.errorMessage };
  const facts = [
    row.errorCode,
    row.note === '' ? null : texts.note(row.note),
    requestedAt === null ? null : `${texts.requestedAt} ${formats.instant(requestedAt)}`,
    certidaoId === null ? null : `${texts.certidaoId} ${certidaoId}`,
  ].filter((fact) => fact !== null);
  const action = actionFor(advice);
  const next = html`<td data-label="${texts.next}">
    ${texts.advice[advice]}${
      action === null
        ? null
        : command(resolveCommandLine(summary.batchId, { line }, action, texts.notePlaceholder))
    }
  </td>`;
  return html`<tr>
    <td class="line-cell number" data-label="${texts.line}">${line}</td>
    <td class="subject-cell" data-label="${texts.subject}">
      <span class="number">${document}</span>
      <div class="small muted">
        ${type}${reference === '' ? null : html`${type === '' ? '' : ' · '}${texts.reference} ${reference}`}
      </div>
    </td>
    <td data-label="${texts.happened}">
      ${texts.message(told)}
      <div class="small muted">${facts.join(' · ')}</div>
    </td>
    ${withNext ? next : null}
  </tr>`;
}

/** Broken between its words, and within none but the long ones. */
function command(line: string): Html {
  const words = line
    .split(' ')
    .map((word) => (word.length > 24 ? word : html`<span class="flag">${word}</span>`));
  return html`<code class="command"
    >${words.flatMap((word, at) => (at === 0 ? [word] : [' ', word]))}</code
  >`;
}
