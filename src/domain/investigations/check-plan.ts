import { phoneDigits } from '../core/documents/held-documents';
import { readDocument } from '../core/documents/read-document';
import { isUuid } from '../core/documents/documents';
import { readTarget as readTraceTarget } from '../traces/target';
import {
  mostYield,
  neededBy,
  emptySubject,
  subjectFacts,
  type Plan,
  type PlanStep,
  type StepKind,
  type Subject,
} from './plan';
import { readTemplate, valuesOf } from './template';

type Fault = { message: string } & ({ pt: string } | { code: string });

export type PlanFault = { path: string } & Fault;

export type TargetReading = { target: string } | Fault;

/** For a step with files, the target is the file's path. */
export function readTarget(kind: StepKind, text: string, step?: PlanStep): TargetReading {
  switch (kind) {
    case 'profile':
      return readNumber(text, ['cpf']);
    case 'certificate':
      return readNumber(text, step?.options.type === 'cnpj' ? ['cnpj'] : ['cpf', 'cnpj']);
    case 'trace': {
      const reading = readTraceTarget(text);
      return reading.kind === 'document' ? { target: reading.document } : reading;
    }
    case 'dossier':
    case 'monitor':
      return isUuid(text.trim())
        ? { target: text.trim().toLowerCase() }
        : fault('expected an id of the service, a UUID', 'espera-se um id do serviço, um UUID');
    case 'lens':
    case 'credit':
      return { target: text };
  }
}

function readNumber(text: string, serves: readonly ('cpf' | 'cnpj')[]): TargetReading {
  const [only] = serves.length === 1 ? serves : [];
  const reading = readDocument(text, { serves, ...(only !== undefined && { length: only }) });
  if (reading.kind === 'document') return { target: reading.document };
  return reading;
}

const contactExpected = {
  email: fault(
    'expected an e-mail address, such as name@example.com',
    'espera-se um endereço de e-mail, como nome@exemplo.com.br',
  ),
  phone: fault(
    'expected a phone number with its area code, such as 11 98765-4321',
    'espera-se um telefone com DDD, como 11 98765-4321',
  ),
};

function fault(message: string, pt: string): Fault {
  return { message, pt };
}

function isAddress(text: string): boolean {
  return /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+$/.test(text.trim());
}

export function readSubject(subject: Subject): { subject: Subject; faults: PlanFault[] } {
  const faults: PlanFault[] = [];
  const add = (path: string, why: Fault): void => void faults.push({ path, ...why });
  const read = (field: 'cpf' | 'cnpj' | 'email' | 'phone' | 'dossier' | 'monitor'): string[] => {
    const found = new Map<string, number>();
    for (const [index, text] of subject[field].entries()) {
      const path = `subject.${field}[${index}]`;
      const reading =
        field === 'cpf' || field === 'cnpj' ? readNumber(text, [field]) : other(field, text);
      if ('message' in reading) add(path, reading);
      else if (found.has(reading.target)) {
        const there = `subject.${field}[${found.get(reading.target)}]`;
        add(path, fault(`is there already, as ${there}`, `já está em ${there}`));
      } else found.set(reading.target, index);
    }
    return [...found.keys()];
  };
  const other = (field: 'email' | 'phone' | 'dossier' | 'monitor', text: string): TargetReading => {
    if (field === 'dossier' || field === 'monitor') return readTarget(field, text);
    const isContact = field === 'email' ? isAddress(text) : phoneDigits(text.trim()) !== null;
    return isContact ? readTarget('trace', text) : contactExpected[field];
  };
  const fields = ['cpf', 'cnpj', 'email', 'phone', 'dossier', 'monitor'] as const;
  const whole = { ...subject, ...Object.fromEntries(fields.map((field) => [field, read(field)])) };
  if (subject.xmls !== null && subject.receivables === null)
    add('subject.xmls', fault('goes with subject.receivables', 'só vale com subject.receivables'));
  const isNobody = Object.values(subjectFacts(whole)).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  );
  if (isNobody && faults.length === 0)
    add(
      'subject',
      fault('says nothing: whom is it about?', 'está vazio: sobre quem é a investigação?'),
    );
  return { subject: whole, faults };
}

/**
 * Faults of the graph and of the targets, found before anything is sent.
 * @param subject null: faults of the plan for any subject
 */
export function checkPlan({ steps }: Plan, subject: Subject | null): PlanFault[] {
  const faults: PlanFault[] = [];
  if (steps.length === 0)
    faults.push({ path: 'steps', ...fault('there is none', 'não há nenhuma') });
  for (const [index, step] of steps.entries()) {
    const path = `steps[${index}]`;
    const add = (at: string, en: string, pt: string): void => addFault(at, fault(en, pt));
    const addFault = (at: string, why: Fault): void =>
      void faults.push({ path: `${path}.${at}`, ...why });
    const isThere = (id: string): boolean => steps.some((one) => one.id === id);
    const needed = neededBy(steps, step.id);
    if (steps.findIndex(({ id }) => id === step.id) < index)
      add('id', `there is a step ${step.id} already`, `já há uma etapa ${step.id}`);
    if (step.id === 'subject')
      add(
        'id',
        '`subject` is the word for whom it is about',
        '`subject` é a palavra reservada para o sujeito',
      );
    for (const [at, need] of step.needs.entries())
      if (!isThere(need)) addFault(`needs[${at}]`, noStep(need));
    if (needed.has(step.id)) {
      const through = [...needed].join(', ');
      add('needs', `it needs itself, through ${through}`, `depende de si mesma, por ${through}`);
    }
    const twin = steps.slice(0, index).find((one) => requested(one) === requested(step));
    if (twin !== undefined)
      add('of', `asks for the same as step ${twin.id}`, `pede o mesmo que a etapa ${twin.id}`);
    const { when } = step;
    if (when !== null && !isThere(when.step)) addFault('when.step', noStep(when.step));
    else if (when !== null && !needed.has(when.step)) addFault('when.step', missingNeed(when.step));
    for (const [at, text] of step.of.entries()) {
      const why = faultOfTarget(step, text, { needed, isThere, subject });
      if (why !== null) addFault(`of[${at}]`, why);
    }
  }
  return faults;
}

function faultOfTarget(
  step: PlanStep,
  text: string,
  about: { needed: ReadonlySet<string>; isThere: (id: string) => boolean; subject: Subject | null },
): Fault | null {
  const template = readTemplate(text);
  if (template === 'broken')
    return fault(
      'is no template: expected {{step.path}} and nothing beside it',
      'não é um modelo: espera-se {{etapa.caminho}} e nada mais',
    );
  if (template === null) {
    if (step.kind === 'lens' || step.kind === 'credit')
      return fault(
        `a ${step.kind} step takes its file from the subject`,
        `uma etapa ${step.kind} recebe o arquivo do sujeito`,
      );
    const reading = readTarget(step.kind, text, step);
    return 'message' in reading ? reading : null;
  }
  const { root, path } = template;
  if (root !== 'subject') {
    if (!about.isThere(root)) return noStep(root);
    return about.needed.has(root) ? null : missingNeed(root);
  }
  const facts = subjectFacts(about.subject ?? emptySubject());
  if (!Object.hasOwn(facts, path[0] ?? ''))
    return fault(
      `the subject has no ${path.join('.') || 'such word'}`,
      `o sujeito não tem ${path.join('.') || 'esse dado'}`,
    );
  if (about.subject === null) return null;
  const reported = valuesOf(template, facts);
  if (reported.length > mostYield)
    return fault(
      tooMany(reported.length),
      `resulta em ${reported.length} consultas, mais de ${mostYield}: nada é pedido`,
    );
  if (reported.length === 0 && step.required)
    return fault(
      `the step is required, and the subject has no ${path.join('.')}`,
      `a etapa é obrigatória, e o sujeito não tem ${path.join('.')}`,
    );
  if (step.kind === 'lens' || step.kind === 'credit') return null;
  for (const { value } of reported) {
    const reading = readTarget(step.kind, value, step);
    if ('message' in reading) return reading;
  }
  return null;
}

export function tooMany(count: number): string {
  return `yields ${count} things to ask about, more than ${mostYield}: nothing is asked`;
}

function missingNeed(id: string): Fault {
  return fault(
    `reads step ${id}, which is not among what this step needs`,
    `lê a etapa ${id}, que não está entre as de que esta etapa depende`,
  );
}

function noStep(id: string): Fault {
  return fault(`there is no step ${id}`, `não há a etapa ${id}`);
}

function requested({ kind, of, options }: PlanStep): string {
  return JSON.stringify([kind, of.toSorted(), Object.entries(options).map(String).toSorted()]);
}

export function isReportedByAnother({ of }: PlanStep): boolean {
  return of.some((text) => {
    const template = readTemplate(text);
    return template !== null && template !== 'broken' && template.root !== 'subject';
  });
}

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
