import { phoneDigits } from '../core/documents/held-documents';
import { readDocument } from '../core/documents/read-document';
import { isUuid } from '../core/uuid';
import { readTarget as readTraceTarget } from '../traces/target';
import {
  mostYield,
  neededBy,
  nobody,
  subjectFacts,
  type Plan,
  type PlanStep,
  type StepKind,
  type Subject,
} from './plan';
import { readTemplate, valuesOf } from './template';

/** What is wrong with a plan, and where in the file. */
export interface PlanFault {
  path: string;
  message: string;
}

/** A thing as it is asked about, or why it cannot be. */
export type TargetReading = { target: string } | { message: string };

/** Of a step with files the thing is the file's own word. */
export function readTarget(kind: StepKind, text: string, step?: PlanStep): TargetReading {
  switch (kind) {
    case 'profile':
      return readNumber(text, ['cpf']);
    case 'certificate':
      return readNumber(text, step?.options.type === 'cnpj' ? ['cnpj'] : ['cpf', 'cnpj']);
    case 'trace': {
      const reading = readTraceTarget(text);
      return reading.kind === 'target' ? { target: reading.target } : reading;
    }
    case 'dossier':
    case 'monitor':
      return isUuid(text.trim())
        ? { target: text.trim().toLowerCase() }
        : { message: 'expected an id of the service, a UUID' };
    case 'lens':
    case 'credit':
      return { target: text };
  }
}

function readNumber(text: string, serves: readonly ('cpf' | 'cnpj')[]): TargetReading {
  const [only] = serves.length === 1 ? serves : [];
  const reading = readDocument(text, { serves, ...(only !== undefined && { length: only }) });
  if (reading.kind === 'document') return { target: reading.document };
  return { message: reading.message };
}

const contactExpected = {
  email: 'expected an e-mail address, such as name@example.com',
  phone: 'expected a phone number with its area code, such as 11 98765-4321',
};

function isAddress(text: string): boolean {
  return /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+$/.test(text.trim());
}

/** The subject as it is asked about, each value once; what cannot be read is a fault. */
export function readSubject(subject: Subject): { subject: Subject; faults: PlanFault[] } {
  const faults: PlanFault[] = [];
  const read = (field: 'cpf' | 'cnpj' | 'email' | 'phone' | 'dossier' | 'monitor'): string[] => {
    const found = new Map<string, number>();
    for (const [index, text] of subject[field].entries()) {
      const path = `subject.${field}[${index}]`;
      const reading =
        field === 'cpf' || field === 'cnpj' ? readNumber(text, [field]) : other(field, text);
      if ('message' in reading) faults.push({ path, message: reading.message });
      else if (found.has(reading.target))
        faults.push({
          path,
          message: `is there already, as subject.${field}[${found.get(reading.target)}]`,
        });
      else found.set(reading.target, index);
    }
    return [...found.keys()];
  };
  const other = (field: 'email' | 'phone' | 'dossier' | 'monitor', text: string): TargetReading => {
    if (field === 'dossier' || field === 'monitor') return readTarget(field, text);
    const isContact = field === 'email' ? isAddress(text) : phoneDigits(text.trim()) !== null;
    return isContact ? readTarget('trace', text) : { message: contactExpected[field] };
  };
  const whole = {
    ...subject,
    cpf: read('cpf'),
    cnpj: read('cnpj'),
    email: read('email'),
    phone: read('phone'),
    dossier: read('dossier'),
    monitor: read('monitor'),
  };
  if (subject.xmls !== null && subject.receivables === null)
    faults.push({ path: 'subject.xmls', message: 'goes with subject.receivables' });
  const isNobody = Object.values(subjectFacts(whole)).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  );
  if (isNobody && faults.length === 0)
    faults.push({ path: 'subject', message: 'says nothing: whom is it about?' });
  return { subject: whole, faults };
}

/**
 * Faults of the graph and of what the steps ask about, before anything is sent.
 *
 * @param subject null: those that the plan has whoever it is about
 */
export function checkPlan({ steps }: Plan, subject: Subject | null): PlanFault[] {
  const faults: PlanFault[] = [];
  if (steps.length === 0) faults.push({ path: 'steps', message: 'there is none' });
  for (const [index, step] of steps.entries()) {
    const path = `steps[${index}]`;
    const add = (at: string, message: string): void => {
      faults.push({ path: `${path}.${at}`, message });
    };
    const isThere = (id: string): boolean => steps.some((one) => one.id === id);
    const needed = neededBy(steps, step.id);
    if (steps.findIndex(({ id }) => id === step.id) < index)
      add('id', `there is a step ${step.id} already`);
    if (step.id === 'subject') add('id', '`subject` is the word for whom it is about');
    for (const [at, need] of step.needs.entries())
      if (!isThere(need)) add(`needs[${at}]`, `there is no step ${need}`);
    if (needed.has(step.id)) add('needs', `it needs itself, through ${[...needed].join(', ')}`);
    const twin = steps.slice(0, index).find((one) => requested(one) === requested(step));
    if (twin !== undefined) add('of', `asks for the same as step ${twin.id}`);
    const { when } = step;
    if (when !== null && !isThere(when.step)) add('when.step', `there is no step ${when.step}`);
    else if (when !== null && !needed.has(when.step)) add('when.step', missingNeed(when.step));
    for (const [at, text] of step.of.entries()) {
      const message = faultOfTarget(step, text, { needed, isThere, subject });
      if (message !== null) add(`of[${at}]`, message);
    }
  }
  return faults;
}

function faultOfTarget(
  step: PlanStep,
  text: string,
  about: { needed: ReadonlySet<string>; isThere: (id: string) => boolean; subject: Subject | null },
): string | null {
  const template = readTemplate(text);
  if (template === 'broken') return 'is no template: expected {{step.path}} and nothing beside it';
  if (template === null) {
    if (step.kind === 'lens' || step.kind === 'credit')
      return `a ${step.kind} step takes its file from the subject`;
    const reading = readTarget(step.kind, text, step);
    return 'message' in reading ? reading.message : null;
  }
  const { root, path } = template;
  if (root !== 'subject') {
    if (!about.isThere(root)) return `there is no step ${root}`;
    return about.needed.has(root) ? null : missingNeed(root);
  }
  const facts = subjectFacts(about.subject ?? nobody());
  if (!Object.hasOwn(facts, path[0] ?? ''))
    return `the subject has no ${path.join('.') || 'such word'}`;
  if (about.subject === null) return null;
  const reported = valuesOf(template, facts);
  if (reported.length > mostYield) return tooMany(reported.length);
  if (reported.length === 0 && step.required)
    return `the step is required, and the subject has no ${path.join('.')}`;
  if (step.kind === 'lens' || step.kind === 'credit') return null;
  for (const { value } of reported) {
    const reading = readTarget(step.kind, value, step);
    if ('message' in reading) return reading.message;
  }
  return null;
}

export function tooMany(count: number): string {
  return `yields ${count} things to ask about, more than ${mostYield}: nothing is asked`;
}

function missingNeed(id: string): string {
  return `reads step ${id}, which is not among what this step needs`;
}

/** What tells one step from another. */
function requested({ kind, of, options }: PlanStep): string {
  return JSON.stringify([kind, of.toSorted(), Object.entries(options).map(String).toSorted()]);
}

/** Whether what a step asks about is known once another has ended. */
export function isReportedByAnother({ of }: PlanStep): boolean {
  return of.some((text) => {
    const template = readTemplate(text);
    return template !== null && template !== 'broken' && template.root !== 'subject';
  });
}

/** What a step asks about as far as the subject tells; null: another step tells. */
export function knownTargets(step: PlanStep, subject: Subject): string[] | null {
  if (isReportedByAnother(step)) return null;
  const found = new Set<string>();
  for (const text of step.of) {
    const template = readTemplate(text);
    const reported =
      template === null || template === 'broken'
        ? [{ value: text }]
        : valuesOf(template, subjectFacts(subject));
    for (const { value } of reported) {
      const reading = readTarget(step.kind, value, step);
      if ('target' in reading) found.add(reading.target);
    }
  }
  return [...found].slice(0, step.most);
}
