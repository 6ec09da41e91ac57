import { z } from 'zod';

/**
 * Calls about operations in the published OpenAPI document, 3.0 or 3.1. Read leniently: what it omits is unknown.
 */
export interface SpecificationFacts {
  /** Parts of the upload; null: not described. */
  parts: readonly DescribedField[] | null;
  /** Query and header parameters that the upload requires, besides authentication. */
  requiredParameters: readonly string[];
  /** Fields of the responses to an upload and of an operation; null: not described. */
  createAnswer: readonly DescribedField[] | null;
  operation: readonly DescribedField[] | null;
}

export interface DescribedField {
  name: string;
  /** Title and description, for the words in them. */
  about: string;
  required: boolean;
  isBinary: boolean;
  isUuid: boolean;
  /** Values of an enumeration of texts. */
  words: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/** References may be cyclic. */
const deepest = 12;

/** Null when it is no OpenAPI document: no object, or without paths. */
export function specificationFacts(document: unknown): SpecificationFacts | null {
  const root = objectOf(document);
  const paths = objectOf(root?.['paths']);
  if (root === null || paths === null) return null;
  const read = new Reader(root);
  const upload = read.operation(paths, /\/operations\/?$/, 'post');
  const status = read.operation(paths, /\/operations\/\{[^/{}]+\}\/?$/, 'get');
  return {
    parts: read.formFields(upload),
    requiredParameters: read.requiredParameters(upload),
    createAnswer: read.answerFields(upload),
    operation: read.answerFields(status),
  };
}

class Reader {
  readonly #root: Json;

  constructor(root: Json) {
    this.#root = root;
  }

  operation(paths: Json, pattern: RegExp, method: string): Json | null {
    // The shorter path is the documented one rather than one below another resource.
    const [path] = Object.keys(paths)
      .filter((name) => pattern.test(name) && this.#at(this.#at(paths, name), method) !== null)
      .toSorted((a, b) => a.length - b.length);
    return path === undefined ? null : this.#at(this.#at(paths, path), method);
  }

  formFields(operation: Json | null): DescribedField[] | null {
    const content = this.#at(this.#at(operation, 'requestBody'), 'content');
    return this.#fields(this.#mediaType(content, /^multipart\/form-data\b/i));
  }

  requiredParameters(operation: Json | null): string[] {
    const parameters = operation?.['parameters'];
    if (!Array.isArray(parameters)) return [];
    return parameters
      .map((parameter) => this.#resolved(parameter))
      .filter((parameter) => parameter?.['required'] === true)
      .filter((parameter) => ['query', 'header', 'cookie'].includes(textOf(parameter?.['in'])))
      .map((parameter) => textOf(parameter?.['name']))
      .filter((name) => !/^(authorization|accept|content-type)$/i.test(name));
  }

  answerFields(operation: Json | null): DescribedField[] | null {
    const responses = this.#at(operation, 'responses');
    const good = Object.keys(responses ?? {})
      .filter((status) => status.startsWith('2'))
      .toSorted();
    for (const status of good) {
      const content = this.#at(this.#at(responses, status), 'content');
      const fields = this.#fields(this.#mediaType(content, /json/i));
      if (fields !== null) return fields;
    }
    return null;
  }

  #mediaType(content: Json | null, pattern: RegExp): unknown {
    const type = Object.keys(content ?? {}).find((name) => pattern.test(name));
    return type === undefined ? null : this.#at(content, type)?.['schema'];
  }

  /** Null when the schema has no fields. */
  #fields(schema: unknown): DescribedField[] | null {
    const { properties, required } = this.#members(schema, deepest);
    if (properties.size === 0) return null;
    return [...properties].map(([name, field]) => this.#field(name, field, required.has(name)));
  }

  /** Properties of an object schema, including those of its parts. */
  #members(schema: unknown, depth: number): Members {
    const here = this.#resolved(schema);
    if (here === null || depth === 0) return { properties: new Map(), required: new Set() };
    const parts = (key: string): Members[] =>
      listOf(here[key]).map((part) => this.#members(part, depth - 1));
    const all = parts('allOf');
    const alternatives = [...parts('oneOf'), ...parts('anyOf')];
    const [first, ...others] = alternatives.map(({ required }) => required);
    return {
      properties: new Map([
        ...[...all, ...alternatives].flatMap(({ properties }) => [...properties]),
        ...Object.entries(objectOf(here['properties']) ?? {}),
      ]),
      required: new Set([
        ...listOf(here['required']).map(textOf),
        ...all.flatMap(({ required }) => [...required]),
        // Of alternatives only what all of them require.
        ...[...(first ?? [])].filter((name) => others.every((other) => other.has(name))),
      ]),
    };
  }

  #field(name: string, schema: unknown, required: boolean): DescribedField {
    const field = this.#resolved(schema) ?? {};
    const words = listOf(field['enum'] ?? [field['const']]);
    return {
      name,
      required,
      about: `${textOf(field['title'])} ${textOf(field['description'])}`,
      isBinary:
        /^(binary|byte|base64)$/i.test(textOf(field['format'])) ||
        field['contentMediaType'] !== undefined ||
        field['contentEncoding'] !== undefined,
      isUuid: /^uuid$/i.test(textOf(field['format'])),
      words: words.filter((word): word is string => typeof word === 'string'),
    };
  }

  #at(value: unknown, key: string): Json | null {
    return this.#resolved(objectOf(value)?.[key]);
  }

  /** Follows `$ref` within the document; sibling keys override it. */
  #resolved(value: unknown, depth = deepest): Json | null {
    const here = objectOf(value);
    const reference = here?.['$ref'];
    if (here === null || typeof reference !== 'string') return here;
    if (!reference.startsWith('#/') || depth === 0) return null;
    let target: unknown = this.#root;
    for (const step of reference.slice(2).split('/')) {
      target = objectOf(target)?.[unescaped(step)];
    }
    const resolved = this.#resolved(target, depth - 1);
    return resolved === null ? null : { ...resolved, ...here, $ref: undefined };
  }
}

interface Members {
  properties: Map<string, unknown>;
  required: Set<string>;
}

const anyObject = z.record(z.string(), z.unknown());

function objectOf(value: unknown): Json | null {
  const parsed = anyObject.safeParse(value);
  return parsed.success ? parsed.data : null;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function unescaped(step: string): string {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
