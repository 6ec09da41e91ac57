import { plainText } from '../domain/core/plain-text';

/** Text that is HTML already. All other text is escaped when it is inserted. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Html | null | undefined | readonly Content[];

/** HTML from a template: values are escaped, unless they are `Html`. */
export function html(literals: TemplateStringsArray, ...contents: Content[]): Html {
  const parts = literals.map((literal, at) => {
    return literal + textOf(contents[at]);
  });
  return new Html(parts.join(''));
}

function textOf(content: Content): string {
  if (content === null || content === undefined) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(textOf).join('');
  return escaped(String(content));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text between tags and in quoted attributes. */
function escaped(text: string): string {
  return plainText(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
