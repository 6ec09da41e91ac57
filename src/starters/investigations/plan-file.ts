import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { certificateTypes } from '../../domain/certificates/certificates';
import { resultFilters } from '../../domain/credit/job';
import { reviewPolicies } from '../../domain/dossiers/follow';
import type { PlanFault } from '../../domain/investigations/check-plan';
import {
  mostItems,
  usualTargets,
  type Condition,
  type Plan,
  type PlanStep,
  type Subject,
} from '../../domain/investigations/plan';
import { lensModes } from '../../domain/lens/analyze';
import { traceStrategies } from '../../domain/traces/search';
import { UsageError, unreadableInput } from '../jobs/errors';
import { faultWords } from '../jobs/text';
import type { Say, Words } from '../../domain/job';
import { duration, durationExpected } from '../jobs/begin/request';

/** Plans of the package. */
const readyFolder = join(__dirname, '..', '..', '..', 'plans');

/** Explanations of the schema's own messages. */
const expected = {
  text: ['expected text: put it in quotes', 'espera-se texto: ponha-o entre aspas'],
  id: [
    'expected a word of small letters, digits, - and _',
    'espera-se uma palavra de letras minúsculas, dígitos, - e _',
  ],
  when: ['expected status or has', 'espera-se status ou has'],
  [durationExpected]: [durationExpected, 'espera-se uma duração como 90s, 15m, 24h ou 7d'],
} as const satisfies Record<string, Words>;
type Expected = keyof typeof expected;
const portuguese = z.locales.ptBR().localeError;

/** A number in YAML may have lost leading zeros: it is refused. */
const text = z.string({ error: 'text' satisfies Expected }).min(1);
const oneOrMore = z.union([text.transform((one) => [one]), z.array(text)]);

function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value) => value ?? null);
}

const title = z
  .union([
    z.string().max(200),
    z.strictObject({ en: z.string().max(200), pt: z.string().max(200) }),
  ])
  .default('')
  .transform((one): Words => (typeof one === 'string' ? [one, one] : [one.en, one.pt]));

const common = {
  id: z.string().regex(/^[a-z][a-z0-9_-]{0,30}$/, 'id' satisfies Expected),
  title,
  of: oneOrMore.optional(),
  needs: z.array(z.string()).default([]),
  when: orNull(
    z
      .strictObject({ step: z.string(), status: orNull(oneOrMore), has: orNull(text) })
      .refine(({ status, has }) => status !== null || has !== null, 'when' satisfies Expected),
  ),
  required: z.boolean().default(false),
  deadline: orNull(duration),
  max_age: orNull(duration),
  items: z.int().min(1).max(mostItems).default(mostItems),
};

const step = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('profile'), retry_rural: z.boolean().optional() }),
  z.strictObject({ ...common, kind: z.literal('certificate'), type: z.enum(certificateTypes) }),
  z.strictObject({
    ...common,
    kind: z.literal('trace'),
    strategy: z.enum(traceStrategies).optional(),
  }),
  z.strictObject({
    ...common,
    kind: z.literal('dossier'),
    max_attempts: z.int().min(1).max(20).optional(),
    on_review: z.enum(reviewPolicies).optional(),
  }),
  z.strictObject({ ...common, kind: z.literal('lens'), mode: z.enum(lensModes).optional() }),
  z.strictObject({
    ...common,
    kind: z.literal('credit'),
    engine: text.optional(),
    filter: z.enum(resultFilters).optional(),
  }),
  z.strictObject({ ...common, kind: z.literal('monitor') }),
]);

const subject = z.strictObject({
  cpf: oneOrMore.default([]),
  cnpj: oneOrMore.default([]),
  name: text.nullable().default(null),
  email: oneOrMore.default([]),
  phone: oneOrMore.default([]),
  dossier: oneOrMore.default([]),
  monitor: oneOrMore.default([]),
  photo: text.nullable().default(null),
  receivables: text.nullable().default(null),
  xmls: text.nullable().default(null),
});

export const planSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/),
  title,
  budget: z.int().min(1).max(100_000).optional(),
  subject: subject.optional(),
  steps: z.array(step).min(1).max(40),
});

export interface WrittenPlan {
  plan: Plan;
  /** As written in the file; null: flags name the subject. */
  subject: Subject | null;
  title: Words;
  /** Of its steps. */
  titles: ReadonlyMap<string, Words>;
}

export async function readPlan(named: string): Promise<WrittenPlan> {
  const isReady = (await readyPlans()).includes(named);
  const path = isReady ? join(readyFolder, `${named}.yaml`) : named;
  const written = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const [en, pt] = unreadableInput('--plan', path, error);
    const ready = 'supplier, assignor, individual';
    throw new UsageError([
      `${en}; a ready plan is one of ${ready}`,
      `${pt}; os planos prontos são ${ready}`,
    ]);
  });
  const values = valuesIn(named, written);
  const reading = planSchema.safeParse(values);
  if (!reading.success) {
    const inPortuguese = planSchema.safeParse(values, { error: portuguese }).error?.issues ?? [];
    const faults = reading.error.issues.map(({ message, path: at }, index) => {
      const own = Object.hasOwn(expected, message) ? expected[message as Expected] : null;
      const [en, pt] = own ?? [message, inPortuguese[index]?.message ?? message];
      return { path: pathText(at), message: en, pt };
    });
    throw planError(named, faults);
  }
  const { budget = null, name, steps, subject: whom = null, title: words } = reading.data;
  const titles = steps.map((one) => [one.id, one.title] as const);
  return {
    plan: { name, title: words[0], budget, steps: steps.map(stepOf) },
    subject: whom,
    title: words,
    titles: new Map(titles),
  };
}

/** JSON is YAML too. */
function valuesIn(named: string, written: string): unknown {
  try {
    return parse(written, { maxAliasCount: 20, logLevel: 'error' }) as unknown;
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError([
      `--plan: ${named}: ${message}`,
      `--plan: ${named} não é YAML válido: ${message}`,
    ]);
  }
}

export async function readyPlans(): Promise<string[]> {
  const names = await readdir(readyFolder);
  return names.filter((name) => name.endsWith('.yaml')).map((name) => name.slice(0, -5));
}

export function planError(named: string, faults: readonly PlanFault[]): UsageError {
  const list = (language: 0 | 1): string =>
    faults.map(({ path, ...fault }) => `\n  ${path}: ${faultWords(fault)[language]}`).join('');
  return new UsageError([
    `--plan ${named}: nothing was sent:${list(0)}`,
    `--plan ${named}: nada foi enviado:${list(1)}`,
  ]);
}

function stepOf(written: z.output<typeof step>): PlanStep {
  const { id, kind, title: _, of, needs, when, required, items: most, ...terms } = written;
  const { deadline: deadlineMs, max_age: maxAgeMs, ...options } = terms;
  const about = { id, kind, of: of ?? [usualTargets[kind]], needs, when, required };
  return { ...about, deadlineMs, maxAgeMs, most, options: inOurWords(options) };
}

/** Options of one kind, renamed to our field names. */
function inOurWords(options: object): PlanStep['options'] {
  const own = Object.entries(options).flatMap(([word, value]) =>
    value === undefined
      ? []
      : [[word.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), value]],
  );
  return Object.fromEntries(own) as PlanStep['options'];
}

function pathText(path: readonly PropertyKey[]): string {
  const words = path.map((word) => (typeof word === 'number' ? `[${word}]` : `.${String(word)}`));
  return words.join('').replace(/^\./, '') || 'the file';
}

export function graphLines({ plan: { steps }, titles }: WrittenPlan, say: Say): string[] {
  const wide = Math.max(...steps.map(({ id }) => id.length));
  return steps.map(({ id, kind, needs, of, required, options, when }) => {
    const type = options.type === undefined ? kind : `${kind} ${options.type}`;
    const [isRequired, isOptional] = [say('required', 'obrigatória'), say('optional', 'opcional')];
    const how = (required ? isRequired : isOptional).padEnd(isRequired.length);
    const parts = [
      `${id.padEnd(wide)}  ${type.padEnd(23)} ${how}  ${say('of', 'de')} ${of.join(', ')}`,
      needs.length > 0 ? `${say('after', 'depois de')} ${needs.join(', ')}` : '',
      when === null ? '' : conditionWords(when, say),
      say(...(titles.get(id) ?? (['', ''] as const))),
    ];
    return parts.filter((part) => part !== '').join('; ');
  });
}

function conditionWords({ has, status, step: of }: Condition, say: Say): string {
  if (has !== null) return say(`when ${of} has ${has}`, `se ${of} tem ${has}`);
  return say(
    `when ${of} is ${status?.join(' or ')}`,
    `se a situação de ${of} é ${status?.join(' ou ')}`,
  );
}
