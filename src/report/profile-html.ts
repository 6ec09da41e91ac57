import type { ProfileOutcome } from '../domain/profiles/lookup';
import {
  ruralLists,
  transportLists,
  type Patent,
  type PersonRural,
  type Profile,
  type Property,
  type Vehicle,
} from '../domain/profiles/profile';
import type { Cell } from '../domain/core/findings';
import type { ProfileSection } from '../domain/profiles/sections';
import { maskDocument } from '../domain/core/documents';
import { formatsOf } from './formats';
import { html, type Content, type Html } from './html';
import { htmlPage } from './html-page';

export interface ProfileReport {
  /** Eleven digits: shown masked. */
  cpf: string;
  profile: Profile;
  /** Of `profileSections`: what has no table of its own here. */
  sections: readonly ProfileSection[];
  outcome: Pick<ProfileOutcome, 'call' | 'settledAt' | 'sha256'>;
  /** Epoch milliseconds. */
  writtenAt: number;
  /** Where the sheets stand. */
  sheets?: 'beside this page' | 'of the batch';
}

/** A browser shows no more than this with ease; the sheets hold all of it. */
const mostRows = 500;
const mostColumns = 6;

const formats = formatsOf('en');
const reais = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'BRL' });
const area = (value: number | null, unit: string): string =>
  value === null ? '' : `${formats.decimal(value)} ${unit}`;
const money = (value: number | null): string => (value === null ? '' : reais.format(value));

/** One page that loads nothing and runs nothing; what came from the service is escaped. */
export function profileHtml(report: ProfileReport): string {
  const { cpf, profile, outcome, writtenAt, sheets = 'beside this page' } = report;
  const { vehicles, properties, patents } = profile;
  return htmlPage({
    language: 'en',
    title: `Asset profile ${maskDocument(cpf)}`,
    ownStyle,
    main: html`<header>
        <p class="kicker">Asset profile</p>
        <h1>CPF ${maskDocument(cpf)}</h1>
        <p class="headline">${headline(profile)}</p>
      </header>
      ${tiles(profile)} ${ruralMissing(profile, outcome)}
      ${card('Vehicles', vehicles, (rows) => vehicleTable(rows))}
      ${card('Properties', properties, (rows) => propertyTable(rows))}
      ${card('Patents', patents, (rows) => patentTable(rows))} ${otherTables(report)}
      <footer>
        Answered ${formats.instant(outcome.settledAt)}; written ${formats.instant(writtenAt)}. Rows
        are as the service sent them; every column stands in the sheets ${sheets}. SHA-256 of the
        answer: <code>${outcome.sha256 ?? '-'}</code>
      </footer>`,
  });
}

function headline(profile: Profile): string {
  const { vehicles, properties, planes, drones, patents, rural } = profile;
  const parts = [
    counted(vehicles, 'vehicle', 'vehicles'),
    counted(properties, 'property', 'properties'),
    counted(aircraftOf(planes, drones), 'aircraft', 'aircraft'),
    counted(patents, 'patent', 'patents'),
    counted(listedIn(rural), 'rural entry', 'rural entries'),
    hasTransports(rural) ? 'rural transports' : null,
  ].filter((part) => part !== null);
  const nothing = isToldWhole(profile) ? 'Nothing was found' : 'Nothing was found in what was told';
  const found = parts.length === 0 ? nothing : parts.join(', ');
  return `${found}${rural === null ? '; the rural part is missing' : ''}.`;
}

/** Rural properties, authorisations, infractions...; null when the rural part is missing. */
function listedIn(rural: Profile['rural']): readonly unknown[] | null {
  if (rural === null) return null;
  if (rural.kind === 'company') return rural.imoveisRurais;
  return ruralLists.flatMap((name) => rural[name] ?? []);
}

function hasTransports(rural: Profile['rural']): boolean {
  const transports = rural?.kind === 'person' ? rural.transportes : null;
  if (transports === null) return false;
  const isListed = transportLists.some((name) => (transports[name]?.length ?? 0) > 0);
  return isListed || (transports.total ?? 0) > 0;
}

function isToldWhole({ vehicles, properties, planes, drones, patents, rural }: Profile): boolean {
  const sections = [vehicles, properties, planes, drones, patents, rural];
  const isWhole = rural?.kind !== 'person' || isRuralWhole(rural);
  return isWhole && sections.every((section) => section !== null);
}

function isRuralWhole(rural: PersonRural): boolean {
  return rural.transportes !== null && ruralLists.every((name) => rural[name] !== null);
}

/** Null for none, and for what was not told, which the tiles tell apart. */
function counted(list: readonly unknown[] | null, one: string, many: string): string | null {
  if (list === null || list.length === 0) return null;
  return `${formats.number(list.length)} ${list.length === 1 ? one : many}`;
}

function tiles({ vehicles, properties, planes, drones, patents, rural }: Profile): Html {
  const restricted = vehicles?.filter((one) => restrictionsOf(one).length > 0).length ?? 0;
  const value = sumOf(properties, 'valor_venal');
  const summary = rural?.kind === 'person' ? rural.resumo : null;
  return html`<dl class="tiles">
    ${tile('Vehicles', countOf(vehicles), restricted > 0 ? `${restricted} with restrictions` : '')}
    ${tile('Properties', countOf(properties), '')}
    ${tile(
      'Assessed value of properties',
      value === null ? '-' : money(value.sum),
      value !== null && value.missing > 0 ? `${value.missing} without a value` : '',
    )}
    ${tile(
      'Aircraft',
      countOf(aircraftOf(planes, drones)),
      drones !== null && drones.length > 0 ? `${drones.length} of them drones` : '',
    )}
    ${tile('Patents', countOf(patents), '')}
    ${tile(
      'Rural area',
      rural === null ? 'missing' : area(summary?.area_total_ha ?? null, 'ha') || '-',
      rural === null ? 'timed out or failed' : finesOf(summary?.valor_total_multas ?? null),
      rural === null ? 'warn' : '',
    )}
  </dl>`;
}

function finesOf(fines: number | null): string {
  return fines === null || fines === 0 ? '' : `fines of ${money(fines)}`;
}

function tile(name: string, value: string, more: string, look = ''): Html {
  const words = value.length > 8 || /[a-z]/.test(value) ? 'words' : '';
  return html`<div class="tile ${look}">
    <dt>${name}</dt>
    <dd class="value ${words}">${value}</dd>
    <dd class="small">${more}</dd>
  </div>`;
}

function ruralMissing({ rural }: Profile, { call }: ProfileReport['outcome']): Html | null {
  if (rural !== null) return null;
  const asked = call === 2 ? ', both times that it was asked' : '';
  return html`<section class="card notice">
    <h2>The rural part is missing</h2>
    <p>
      The service’s rural query timed out or failed${asked}: this page says nothing about rural
      properties, authorisations and infractions, neither that there are any nor that there are
      none. <code>profile lookup --retry-rural</code> looks everything up anew, and asks twice if it
      fails again: each answer may be charged for.
    </p>
  </section>`;
}

function card<T>(
  title: string,
  rows: readonly T[] | null,
  tableOf: (rows: readonly T[]) => Html,
): Html {
  if (rows === null) {
    return html`<section class="card">
      <h2>${title}</h2>
      <p class="muted">The service did not tell this section.</p>
    </section>`;
  }
  if (rows.length === 0) {
    return html`<section class="card">
      <h2>${title}</h2>
      <p class="muted">None.</p>
    </section>`;
  }
  const more = rows.length - mostRows;
  return html`<section class="card">
    <h2>${title} <span class="badge">${formats.number(rows.length)}</span></h2>
    ${tableOf(rows.slice(0, mostRows))}
    ${more > 0 ? html`<p class="muted">${formats.number(more)} more stand in the sheet.</p>` : null}
  </section>`;
}

function vehicleTable(rows: readonly Vehicle[]): Html {
  const columns = ['Plate', 'Model', 'Year', 'Registered in', 'Situation', 'Restrictions'];
  return table(
    columns,
    rows.map((one) => [
      one.placa ?? one.placa_nova ?? one.placa_antiga,
      [one.modelo ?? one.marca, muted(one.cor)],
      [one.ano_fabricacao, one.ano_modelo].filter((year) => year !== null).join('/'),
      [one.municipio, one.uf].filter((part) => part !== null).join(' / '),
      one.situacao_veiculo,
      restrictionsOf(one).map((text) => html`<span class="restriction">${text}</span>`),
    ]),
  );
}

function restrictionsOf(one: Vehicle): string[] {
  const all = [one.restricao_1, one.restricao_2, one.restricao_3, one.restricao_4];
  return all.filter((text) => text !== null);
}

function propertyTable(rows: readonly Property[]): Html {
  const columns = ['Address', 'Use', 'Land', 'Built', 'Assessed value', 'IPTU a year'];
  const totals = [
    ['Total', '', '', ''],
    (['valor_venal', 'valor_iptu'] as const).map((name) => money(sumOf(rows, name)?.sum ?? null)),
  ].flat();
  return table(
    columns,
    rows.map((one) => [
      addressOf(one),
      one.tipo_uso,
      area(one.area_terreno, 'm²'),
      [area(one.area_construida, 'm²'), muted(yearOf(one))],
      money(one.valor_venal),
      money(one.valor_iptu),
    ]),
    { right: [2, 3, 4, 5], wide: 0, totals },
  );
}

function yearOf({ ano_construcao: year }: Property): string | null {
  return year === null ? null : `in ${year}`;
}

function addressOf({ localizacao, inscricao, sql_iptu }: Property): Content {
  if (localizacao === null) return sql_iptu ?? inscricao;
  const { logradouro, numero, complemento, bairro, cidade, uf } = localizacao;
  const street = [logradouro, numero, complemento].filter((part) => part !== null).join(', ');
  const place = [bairro, cidade, uf].filter((part) => part !== null).join(', ');
  return [street, muted(place)];
}

function patentTable(rows: readonly Patent[]): Html {
  return table(
    ['Number', 'Title', 'Nature', 'Filed', 'Granted'],
    rows.map((one) => [
      one.numero_inpi,
      one.titulo,
      one.natureza,
      one.data_deposito,
      one.data_concessao,
    ]),
    { wide: 1 },
  );
}

const shownAbove = ['veiculos', 'imoveis', 'patentes'];

/** Sections whose fields the specification does not show: their first columns, as they came. */
function otherTables({ sections }: ProfileReport): Html[] {
  const others = sections.filter(({ name }) => !shownAbove.includes(name));
  return others
    .filter(({ rows }) => rows.length > 0)
    .map(({ name, columns, rows }) => {
      const shown = columns.filter((column) => rows.some((row) => hasValue(row[column])));
      const first = shown.slice(0, mostColumns);
      const left = shown.length - first.length;
      return html`<section class="card">
        <h2>${titles[name] ?? name} <span class="badge">${formats.number(rows.length)}</span></h2>
        ${table(
          first.map((column) => column.replaceAll('_', ' ')),
          rows
            .slice(0, mostRows)
            .map((row) => first.map((column) => cellText(row[column] ?? null))),
        )}
        ${left > 0 ? html`<p class="muted small">${left} more columns in ${name}.csv.</p>` : null}
      </section>`;
    });
}

const titles: Record<string, string> = {
  aeronaves_avioes: 'Planes',
  aeronaves_drones: 'Drones',
  rural_propriedades_sncr: 'Rural properties (SNCR)',
  rural_propriedades_cafir: 'Rural properties (CAFIR)',
  rural_autorizacoes: 'Authorisations',
  rural_infracoes: 'Environmental infractions',
  rural_produtor_organico: 'Organic producer',
  rural_transportes: 'Transports, in total',
  rural_transportes_produtos: 'Products transported',
  rural_transportes_por_produto: 'Transports by product',
  rural_transportes_por_ano: 'Transports by year',
  rural_transportes_parceiros: 'Transport partners',
  rural_resumo: 'Rural summary',
};

function hasValue(cell: Cell | undefined): boolean {
  return cell !== null && cell !== undefined && cell !== '' && cell !== '[]';
}

function cellText(cell: Cell): string {
  return cell === null ? '' : String(cell);
}

function table(
  columns: readonly string[],
  rows: readonly (readonly Content[])[],
  {
    right = [],
    wide = null,
    totals = null,
  }: { right?: readonly number[]; wide?: number | null; totals?: string[] | null } = {},
): Html {
  const look = (at: number): string => {
    if (at === wide) return 'wide';
    return right.includes(at) ? 'right number' : '';
  };
  return html`<table class="rows words">
    <thead>
      <tr>
        ${columns.map((column, at) => html`<th class="${look(at)}">${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map(
              (cell, at) =>
                html`<td class="${look(at)}" data-label="${columns[at] ?? ''}">${cell}</td>`,
            )}
          </tr>`,
      )}
    </tbody>
    ${
      totals === null
        ? null
        : html`<tfoot>
            <tr>
              ${totals.map(
                (cell, at) =>
                  html`<td class="${look(at)}" data-label="${columns[at] ?? ''}">${cell}</td>`,
              )}
            </tr>
          </tfoot>`
    }
  </table>`;
}

function muted(text: string | null): Html | null {
  return text === null || text === '' ? null : html`<span class="muted small block">${text}</span>`;
}

function countOf(list: readonly unknown[] | null): string {
  return list === null ? 'not told' : formats.number(list.length);
}

/** Null when neither was told. */
function aircraftOf(
  planes: readonly unknown[] | null,
  drones: readonly unknown[] | null,
): readonly unknown[] | null {
  return planes === null && drones === null ? null : [...(planes ?? []), ...(drones ?? [])];
}

/** In cents, so that sums are exact. Null when the section was not told. */
function sumOf(
  rows: readonly Property[] | null,
  name: 'valor_venal' | 'valor_iptu',
): { sum: number; missing: number } | null {
  if (rows === null) return null;
  const values = rows.map((row) => row[name]).filter((value) => value !== null);
  const cents = values.reduce((sum, value) => sum + Math.round(value * 100), 0);
  return { sum: cents / 100, missing: rows.length - values.length };
}

const ownStyle = `
.block { display: block; }
.notice { border-left: 4px solid var(--warn); }
.restriction { display: block; color: var(--warn); }
.rows th.wide { width: 27%; }
.rows tfoot td { font-weight: 620; border-top: 1px solid var(--line); border-bottom: 0; }
.rows td.right { white-space: nowrap; }
@media screen and (max-width: 760px) {
  .rows tfoot, .rows tfoot tr { display: block; }
  .rows tfoot td { border: 0; } .rows td:empty { display: none; }
  .rows td.right { text-align: left; }
}
`;
